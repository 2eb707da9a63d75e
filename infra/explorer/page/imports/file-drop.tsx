import { useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { say } from '../state/messages.ts'
import { useWords } from '../texts/language.tsx'
import { importTexts } from './import-texts.ts'
import { importedFile } from './imported-file.ts'

const holdsFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') === true

/** Takes a file that is dropped anywhere on the page, where the browser would open it instead. */
export const FileDrop = () => {
  const { language } = useWords()
  const texts = importTexts[language]
  const [isOver, setIsOver] = useState(false)
  useEffect(() => {
    const allowDrop = (event: DragEvent) => {
      if (!holdsFiles(event)) return
      event.preventDefault()
      setIsOver(importedFile.get() === undefined)
    }
    // `relatedTarget` is null only when the pointer leaves the page.
    const leave = ({ relatedTarget }: DragEvent) => relatedTarget === null && setIsOver(false)
    const drop = (event: DragEvent) => {
      if (!holdsFiles(event)) return
      event.preventDefault()
      setIsOver(false)
      const [file, ...others] = event.dataTransfer?.files ?? []
      if (others.length > 0) say('danger', texts.oneFile)
      else if (importedFile.get() === undefined) importedFile.set(file)
    }
    addEventListener('dragover', allowDrop)
    addEventListener('dragleave', leave)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', allowDrop)
      removeEventListener('dragleave', leave)
      removeEventListener('drop', drop)
    }
  }, [texts])
  return isOver ? createPortal(<div className="drop">{texts.drop}</div>, document.body) : null
}
