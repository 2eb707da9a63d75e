const english = {
  save: 'Save',
  opening: 'Reading the value as it is now …',
  conflict: 'Another user has changed this row since you opened it.',
  yours: 'Yours',
  now: 'Now',
  keepYours: 'Save yours anyway',
  takeNow: 'Leave it as it is now',
  undo: 'Undo',
  redo: 'Redo',
}

const arabic: typeof english = {
  save: 'حفظ',
  opening: 'تُقرأ القيمة كما هي الآن …',
  conflict: 'غيّر مستخدم آخر هذا الصف منذ أن فتحته.',
  yours: 'قيمتك',
  now: 'الآن',
  keepYours: 'حفظ قيمتك على أي حال',
  takeNow: 'تركه كما هو الآن',
  undo: 'تراجع',
  redo: 'إعادة التنفيذ',
}

/** The texts of cells that are edited, which are not in the first script. */
export const editingTexts: Readonly<Record<'en' | 'ar', typeof english>> = { en: english, ar: arabic }
