const english = {
  help: 'Shows the rows for which the conditions below and the other filters are true.',
  kind: 'Which conditions must hold',
  kinds: {
    all: 'All of these are true',
    any: 'At least one of these is true',
    none: 'None of these is true',
  },
  joins: { all: 'and', any: 'or', none: 'or' },
  no: 'none of',
  field: 'What to compare',
  value: 'Value',
  addCondition: 'Add a condition',
  addGroup: 'Add a group',
  group: 'group',
  fill: 'Fill in a value.',
  gone: 'The table no longer has this filter: remove the condition.',
}

const arabic: typeof english = {
  help: 'تظهر الصفوف التي تنطبق عليها الشروط التالية وعوامل التصفية الأخرى.',
  kind: 'أي الشروط يجب أن يتحقق',
  kinds: {
    all: 'تتحقق جميع الشروط التالية',
    any: 'يتحقق واحد على الأقل مما يلي',
    none: 'لا يتحقق أي مما يلي',
  },
  joins: { all: 'و', any: 'أو', none: 'أو' },
  no: 'لا شيء من',
  field: 'ما يُقارَن',
  value: 'القيمة',
  addCondition: 'إضافة شرط',
  addGroup: 'إضافة مجموعة',
  group: 'المجموعة',
  fill: 'أدخل قيمة.',
  gone: 'لم يعد عامل التصفية هذا موجودًا في الجدول: أزل الشرط.',
}

/** The texts of conditions in groups, which are not in the first script. */
export const groupTexts: Readonly<Record<'en' | 'ar', typeof english>> = { en: english, ar: arabic }
