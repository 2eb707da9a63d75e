import { useEffect, useRef } from 'react'
import type { TableError } from '../../../../lib/client/index.ts'
import { clientIn, runAction } from '../service/client.ts'
import type { Column } from '../service/wire.ts'
import { type Loaded, useLoaded } from '../state/use-loaded.ts'
import { failureText } from '../texts/failure-text.ts'
import { useWords } from '../texts/language.tsx'
import { Modal } from '../ui/modal.tsx'
import { type FieldState, useFault } from '../ui/use-fault.tsx'
import { mayTake } from './effects.ts'
import { ForeseenRows } from './foreseen-rows.tsx'
import { foreseenTexts } from './foreseen-texts.ts'
import { FormFields } from './form-fields.tsx'
import { readForm } from './form-values.ts'
import type { Plan } from './plan.ts'
import { questionTexts } from './question-texts.ts'
import type { Actions } from './use-actions.ts'
import { useForeseen } from './use-foreseen.ts'

interface ActionDialogProps {
  readonly actions: Actions
  /** A field that is named as a column is called as that is. */
  readonly columns: readonly Column[]
}

/** Asks for confirmation, form fields and recipients of an action. Shows what the service refuses beside them. */
export const ActionDialog = ({ actions, columns }: ActionDialogProps) => {
  const { plan, close } = actions
  return (
    <Modal
      title={plan?.title ?? ''}
      open={plan !== undefined}
      onClose={close}
      {...(plan?.question && { help: plan.question })}
    >
      {plan?.rowName !== undefined && (
        <p className="row-name">
          <bdi>{plan.rowName}</bdi>
        </p>
      )}
      {plan && <ActionForm key={plan.path} plan={plan} actions={actions} columns={columns} />}
    </Modal>
  )
}

interface ActionFormProps extends ActionDialogProps {
  readonly plan: Plan
}

const ActionForm = ({ plan, columns, actions }: ActionFormProps) => {
  const { isRunning, close } = actions
  const { t, language } = useWords()
  const texts = questionTexts[language]
  const own = useRef<HTMLFormElement>(null)
  const { foreseen, failure, run, foresee, miscounted } = useAttempts(plan, actions)
  const counted = useCount(plan, miscounted)
  const count = counted.response
  const needsCount = plan.counts !== undefined
  useEffect(() => {
    if (failure) own.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [failure])
  const hasAddressFault = Object.keys(failure?.fields ?? {}).some((name) => name.startsWith('emails'))
  const { state, note } = useFault(
    failure && (isMarked(failure, plan) ? texts.seeFields : (addressFaults(failure) ?? failureText(failure, t))),
  )
  const readFilled = (form: FormData) => {
    const emails = String(form.get('emails') ?? '').split(/[,،\s]+/)
    const recipients = emails.filter((one) => one !== '')
    return {
      ...readForm(plan.form, plan.values ?? {}, form),
      ...(recipients.length > 0 && { emails: recipients }),
      ...(count !== undefined && { expected_count: count }),
    }
  }
  return (
    <>
      {foreseen.change && (
        <ForeseenRows
          plan={plan}
          columns={columns}
          failure={failure}
          isRunning={isRunning}
          run={run}
          change={foreseen.change}
          goBack={foreseen.forget}
        />
      )}
      <form
        className="editor"
        ref={own}
        hidden={foreseen.change !== undefined}
        onSubmit={(event) => {
          event.preventDefault()
          if (!isRunning && (!needsCount || count !== undefined)) run(readFilled(new FormData(event.currentTarget)))
        }}
      >
        <Concerns plan={plan} counted={counted} />
        {plan.form && (
          <FormFields schema={plan.form} columns={columns} values={plan.values ?? {}} faults={failure?.fields ?? {}} />
        )}
        {plan.asksEmails === true && <AddressEntry state={state} isFaulty={hasAddressFault} />}
        {note}
        <div className="buttons">
          {plan.canForesee && (
            <button
              type="button"
              className="button"
              aria-disabled={foreseen.isRunning}
              onClick={() => own.current && foresee(readFilled(new FormData(own.current)))}
            >
              {foreseen.isRunning ? t.working(foreseenTexts[language].show) : foreseenTexts[language].show}
            </button>
          )}
          <button type="button" className={plan.question ? 'button safe' : 'button'} onClick={close}>
            {t.cancel}
          </button>
          <button
            type="submit"
            className={plan.isRemoval === true ? 'button danger' : 'button primary'}
            aria-disabled={isRunning || (needsCount && count === undefined)}
          >
            {isRunning ? t.working(plan.title) : plan.form === undefined ? plan.title : texts.submit}
          </button>
        </div>
      </form>
    </>
  )
}

interface AddressEntryProps {
  /** Ties the entry to the text of a fault. */
  readonly state: FieldState
  readonly isFaulty: boolean
}

const AddressEntry = ({ state, isFaulty }: AddressEntryProps) => {
  const texts = questionTexts[useWords().language]
  return (
    <label className="labelled">
      {texts.emails}
      <input
        className="field wide"
        name="emails"
        type="text"
        inputMode="email"
        autoComplete="email"
        dir="ltr"
        {...state}
        aria-invalid={isFaulty}
      />
      <small className="muted">{texts.emailsHelp}</small>
    </label>
  )
}

/**
 * Both ways to send a form: each clears the failure of the other. `miscounted` is what was sent if rows have come or
 * gone since the page counted them.
 */
function useAttempts(plan: Plan, actions: Actions) {
  const foreseen = useForeseen(plan)
  const sent = useRef<Parameters<Actions['run']>[0]>({})
  const run: Actions['run'] = (filled, body) => {
    sent.current = filled
    foreseen.clearFailure()
    actions.run(filled, body)
  }
  const foresee = (filled: Readonly<Record<string, unknown>>) => {
    sent.current = filled
    actions.clearFailure()
    void foreseen.ask(filled)
  }
  const failure = foreseen.failure ?? actions.failure
  // An action whose form has a field of this name would run.
  const isMiscounted = failure?.code === 'unexpected_count' && !mayTake(plan.form, ['dry_run'])
  return { foreseen, failure, run, foresee, miscounted: isMiscounted ? sent.current : undefined }
}

interface ConcernsProps {
  readonly plan: Plan
  readonly counted: Loaded<number>
}

const Concerns = ({ plan, counted: { response, failure, reload } }: ConcernsProps) => {
  const { t, language } = useWords()
  const texts = questionTexts[language]
  const count = response ?? (plan.counts === undefined ? plan.concerns : undefined)
  if (count === undefined && plan.counts === undefined) return null
  return (
    <>
      <p aria-live="polite">
        <strong>{count !== undefined ? texts.affects(count) : failure ? texts.notCounted : t.counting}</strong>
      </p>
      {count === undefined && failure && (
        <p className="fault">
          {failureText(failure, t)}{' '}
          <button type="button" className="button" onClick={reload}>
            {t.retry}
          </button>
        </p>
      )}
    </>
  )
}

/** How many rows a plan concerns where the page does not know it, or has counted others. */
function useCount({ counts, path, body }: Plan, miscounted: Plan['body'] | undefined): Loaded<number> {
  const { language } = useWords()
  const dryRun = miscounted && { ...body, ...miscounted, expected_count: undefined, dry_run: true }
  const asked = dryRun ?? counts
  return useLoaded(asked && JSON.stringify(asked), async (signal) => {
    if (dryRun) return (await runAction(language, path, dryRun)).counts?.selected ?? 0
    const { table = '', query = {}, without = 0 } = counts ?? {}
    const { total } = await clientIn(language).countRows(table, query, { signal })
    return total - without
  })
}

/** Returns the faults of the addresses without the keys of the request, which a reader of the form does not know. */
function addressFaults({ fields }: TableError): string | undefined {
  const faults = Object.entries(fields)
  return faults.length > 0 && faults.every(([name]) => name.startsWith('emails'))
    ? faults.flatMap(([, texts]) => texts).join(' ')
    : undefined
}

/** Whether every fault stands beside its field, where it is not repeated. */
const isMarked = ({ fields }: TableError, { form }: Plan): boolean => {
  const names = Object.keys(fields)
  return names.length > 0 && names.every((name) => Object.hasOwn(form?.properties ?? {}, name))
}
