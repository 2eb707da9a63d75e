import { useEffect } from 'react'
import { askEffects } from '../actions/effects.ts'
import type { Plan } from '../actions/plan.ts'
import type { Outcome, Structure } from '../service/wire.ts'
import { useStore } from '../state/store.ts'
import type { View } from '../state/view.ts'
import { useWords } from '../texts/language.tsx'
import { Modal } from '../ui/modal.tsx'
import { FileDrop } from './file-drop.tsx'
import { ImportPlanView } from './import-plan.tsx'
import { importTexts } from './import-texts.ts'
import { importedFile } from './imported-file.ts'
import { type ImportedFile, useImport } from './use-import.ts'

interface ImportDialogProps {
  readonly structure: Structure
  readonly view: View
  /** Shows what the service answered, with an undo. */
  readonly follow: (outcome: Outcome, plan: Plan) => void
  /** Loads what `follow` needs. */
  readonly prepare: () => void
}

const close = () => importedFile.set(undefined)

/** Sends an edited file back: one that was dropped anywhere on the page, or chosen among the actions. */
export const ImportDialog = ({ structure, view, follow, prepare }: ImportDialogProps) => {
  const file = useStore(importedFile)
  const { language } = useWords()
  const { table = '', params } = view
  useEffect(() => file && prepare(), [file, prepare])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a file of one table is not sent to another
  useEffect(() => close, [table])
  if (structure.editing === undefined) return null
  const title = importTexts[language].title(file?.name ?? '')
  return (
    <>
      <FileDrop />
      <Modal title={title} open={file !== undefined} onClose={close} wide>
        {file && (
          <SentFile
            table={table}
            params={params}
            file={file}
            columns={structure.columns}
            follow={(outcome, page) =>
              follow(outcome, { title: file.name, path: '', body: {}, page, canAddRows: true })
            }
          />
        )}
      </Modal>
    </>
  )
}

interface SentFileProps extends ImportedFile {
  readonly columns: Structure['columns']
  readonly follow: (outcome: Outcome, page: Plan['page']) => void
}

const SentFile = ({ columns, follow, ...sent }: SentFileProps) => {
  const { t, language } = useWords()
  const texts = importTexts[language]
  const { state, failure, isRunning, apply, showMore, sendAgain } = useImport(sent)
  if (state.step === 'planned') {
    const finish = () => {
      const page = askEffects()
      return apply(page, (applied) => {
        if (importedFile.get() === sent.file) close()
        follow({ ...applied, onSuccess: 'reload' }, page)
      })
    }
    return (
      <ImportPlanView
        columns={columns}
        failure={failure}
        isRunning={isRunning}
        close={close}
        sendAgain={sendAgain}
        plan={state.plan}
        apply={() => void finish()}
        showMore={() => void showMore()}
      />
    )
  }
  if (state.step === 'failed') {
    const { text, needsFile } = state.failure
    return (
      <div className="editor">
        <p className="fault" role="alert">
          {text}
        </p>
        {needsFile && <p className="help">{texts.how}</p>}
        <div className="buttons">
          {!needsFile && (
            <button type="button" className="button" onClick={sendAgain}>
              {texts.again}
            </button>
          )}
          <button type="button" className="button safe" onClick={close}>
            {t.close}
          </button>
        </div>
      </div>
    )
  }
  return (
    <div className="editor">
      <p role="status">{texts[state.step]}</p>
      <div className="buttons">
        <button type="button" className="button safe" onClick={close}>
          {t.cancel}
        </button>
      </div>
    </div>
  )
}
