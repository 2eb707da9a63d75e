import type { Change } from './state/use-view.ts'
import { useWords } from './texts/language.tsx'

/** Shows the page in its other language, which names itself. */
export const LanguageSwitch = ({ change }: { readonly change: Change }) => {
  const { t, language } = useWords()
  const other = language === 'ar' ? 'en' : 'ar'
  return (
    <button type="button" className="button quiet" lang={other} onClick={() => change({ language: other }, 'replace')}>
      {t.language}
    </button>
  )
}
