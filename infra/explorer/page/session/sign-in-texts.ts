const english = {
  signInHelp: 'Paste an access token. It stays in this tab and is gone when you close it.',
  token: 'Access token',
  demoUsers: 'Or sign in as a demo user',
  demoMissing: 'The demo users cannot be reached.',
}

const arabic: typeof english = {
  signInHelp: 'الصق رمز الوصول. يبقى في علامة التبويب هذه فقط ويزول عند إغلاقها.',
  token: 'رمز الوصول',
  demoUsers: 'أو اختر أحد مستخدمي العرض التجريبي',
  demoMissing: 'تعذّر الوصول إلى مستخدمي العرض التجريبي.',
}

/** The texts of signing in, which are not in the first script. */
export const signInTexts: Readonly<Record<'en' | 'ar', typeof english>> = { en: english, ar: arabic }
