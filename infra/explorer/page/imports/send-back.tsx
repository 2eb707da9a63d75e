import { useRef } from 'react'
import { useWords } from '../texts/language.tsx'
import { importTexts } from './import-texts.ts'
import { importedFile } from './imported-file.ts'

interface SendBackProps {
  /** Whether exports are made so that they can be sent back; `undefined`: none can. */
  readonly isOn: boolean | undefined
  readonly change: (isOn: boolean) => void
  /** Puts the menu away, and loads what shows the file. */
  readonly close: () => void
}

/** Offers files that can be edited and sent back, and takes one. */
export const SendBack = ({ isOn, change, close }: SendBackProps) => {
  const { language } = useWords()
  const texts = importTexts[language]
  const field = useRef<HTMLInputElement>(null)
  const take = (file: File | undefined) => {
    if (file === undefined) return
    close()
    importedFile.set(file)
  }
  return (
    <div className="send-back">
      {isOn !== undefined && (
        <label className="option">
          <input type="checkbox" checked={isOn} onChange={({ target }) => change(target.checked)} />
          <span className="grow">{texts.roundTrip}</span>
        </label>
      )}
      <button type="button" className="option" onClick={() => field.current?.click()}>
        {texts.choose}
      </button>
      <input type="file" hidden ref={field} accept=".xlsx,.csv" onChange={({ target }) => take(target.files?.[0])} />
    </div>
  )
}
