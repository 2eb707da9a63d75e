import { useEffect, useMemo, useRef, useState } from 'react'
import { type AppliedImport, createImportClient, type ImportPlan } from '../../../../lib/client/imports.ts'
import { TableError } from '../../../../lib/client/index.ts'
import type { Plan } from '../actions/plan.ts'
import { clientOptions } from '../service/client.ts'
import type { AnyTable } from '../service/wire.ts'
import { takeParams } from '../state/asked-rows.ts'
import { say } from '../state/messages.ts'
import { rememberUser } from '../state/session.ts'
import type { View } from '../state/view.ts'
import { failureText } from '../texts/failure-text.ts'
import { useWords } from '../texts/language.tsx'
import { importTexts } from './import-texts.ts'
import { importedFile } from './imported-file.ts'

export interface ImportedFile {
  readonly table: string
  readonly params: View['params']
  readonly file: File
}

interface Failure {
  readonly text: string
  /** Whether another file is needed. */
  readonly needsFile: boolean
}

type State =
  | { readonly step: 'sending' | 'reading' }
  | { readonly step: 'planned'; readonly id: string; readonly plan: ImportPlan }
  | { readonly step: 'failed'; readonly failure: Failure }

const maxBytes = 20 * 1024 * 1024
const firstPauseMs = 300
const maxPauseMs = 3_000

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Sends a file, waits until the service has read it, and applies what it would change. Nothing changes before. */
export function useImport({ table, params, file }: ImportedFile) {
  const { language, t } = useWords()
  const [state, setState] = useState<State>({ step: 'sending' })
  const [failure, setFailure] = useState<string>()
  const [isRunning, setIsRunning] = useState(false)
  const [round, setRound] = useState(0)
  const running = useRef(false)
  const texts = importTexts[language]
  const client = useMemo(() => createImportClient(clientOptions(language)), [language])
  const asked = takeParams({ params })
  const describe = (thrown: unknown) =>
    thrown instanceof TableError && thrown.code !== 'upload_failed' ? failureText(thrown, t) : texts.notSent
  // biome-ignore lint/correctness/useExhaustiveDependencies: a file is sent once, and again on request
  useEffect(() => {
    const { signal, abort } = createAbort()
    const put = (next: State) => !signal.aborted && setState(next)
    const fail = (text: string, needsFile: boolean) => put({ step: 'failed', failure: { text, needsFile } })
    const send = async () => {
      if (file.size === 0 || file.size > maxBytes) return fail(file.size === 0 ? texts.empty : texts.tooLarge, true)
      put({ step: 'sending' })
      const id = await client.upload(table, file, { ...asked, signal })
      put({ step: 'reading' })
      for (let ms = firstPauseMs; !signal.aborted; ms = Math.min(ms * 1.5, maxPauseMs)) {
        const { import: entry, plan } = await client.show(table, id, { ...asked, signal })
        if (plan !== undefined) return put({ step: 'planned', id, plan })
        if (entry.state === 'failed')
          return fail(entry.text ?? texts.notSent, entry.code?.startsWith('import_') === true)
        await pause(ms)
      }
    }
    setFailure(undefined)
    send().catch((thrown) => fail(describe(thrown), false))
    return abort
  }, [file, round])
  const change = async (work: (planned: State & { readonly step: 'planned' }) => Promise<void>) => {
    // A second click while the first is answered must not do it twice.
    if (state.step !== 'planned' || running.current) return
    running.current = true
    setIsRunning(true)
    setFailure(undefined)
    const isSameUser = rememberUser()
    await work(state).catch((thrown) => {
      if (importedFile.get() === file) setFailure(describe(thrown))
      else if (isSameUser()) say('danger', `${file.name}: ${describe(thrown)}`)
    })
    running.current = false
    setIsRunning(false)
  }
  return {
    state,
    failure,
    isRunning,
    sendAgain: () => setRound((now) => now + 1),
    showMore: () =>
      change(async ({ id, plan }) => {
        const next = await client.show(table, id, asked, plan.next_page)
        if (next.plan !== undefined)
          setState({ step: 'planned', id, plan: { ...next.plan, cells: [...plan.cells, ...next.plan.cells] } })
      }),
    apply: (page: Plan['page'], follow: (applied: AppliedImport<AnyTable>) => void) =>
      change(async ({ id, plan }) => follow(await client.apply(table, id, plan.id, { ...asked, page: page ?? {} }))),
  }
}

function createAbort() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}
