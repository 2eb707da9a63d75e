import { useState } from 'react'
import { clientIn, toFailure } from '../service/client.ts'
import { urlPath } from '../service/deployment.ts'
import type { Job } from '../service/wire.ts'
import { say } from '../state/messages.ts'
import { rememberUser } from '../state/session.ts'
import { failureText } from '../texts/failure-text.ts'
import { useWords } from '../texts/language.tsx'
import { putJob } from './known-jobs.ts'
import { isOver } from './tray-state.ts'
import { trayTexts } from './tray-texts.ts'

const tones: Readonly<Record<string, string>> = {
  succeeded: 'success',
  failed: 'danger',
  unknown: 'warning',
  running: 'info',
}

/** A job: how far it is, what came of it, and the way to stop it. */
export const JobCard = ({ job }: { readonly job: Job }) => {
  const { t, language } = useWords()
  const texts = trayTexts[language]
  const [isAsked, setIsAsked] = useState(false)
  const isCancelled = isAsked || job.cancel_requested === true
  const cancel = async () => {
    const isSameUser = rememberUser()
    setIsAsked(true)
    try {
      const cancelled = await clientIn(language).job(job.id).cancel()
      if (isSameUser()) putJob(cancelled)
    } catch (thrown) {
      if (isSameUser()) say('danger', failureText(toFailure(thrown), t))
    } finally {
      setIsAsked(false)
    }
  }
  const { result } = job
  return (
    <li className="card">
      <p className="card-head">
        <strong className="grow">{jobTitle(job, language)}</strong>
        <span className={`badge ${tones[job.status] ?? ''}`}>{texts.jobStates[job.status] ?? job.status}</span>
      </p>
      {!isOver(job) && <Progress job={job} />}
      <JobResult job={job} />
      <p className="card-links">
        {result?.url !== undefined && (
          <a className="link" href={urlPath(result.url)}>
            {t.download} <bdi>{result.file_name}</bdi>
          </a>
        )}
        {!isOver(job) && (
          <button
            type="button"
            className="button"
            aria-disabled={isCancelled}
            onClick={() => !isCancelled && void cancel()}
          >
            {t.cancel}
          </button>
        )}
      </p>
    </li>
  )
}

/** A job that another tab began has only the name that programs use. */
export const jobTitle = ({ title, action = '' }: Job, language: 'en' | 'ar'): string =>
  title ?? trayTexts[language].otherJob(action.replaceAll('_', ' '))

const Progress = ({ job }: { readonly job: Job }) => {
  const { language } = useWords()
  const { done = 0, total = null } = job
  return (
    <>
      <progress
        aria-label={jobTitle(job, language)}
        {...(total === null ? {} : { value: done, max: Math.max(total, 1) })}
      />
      {total !== null && (
        <small className="muted">
          <bdi>{trayTexts[language].progress(done, total)}</bdi>
        </small>
      )}
    </>
  )
}

const JobResult = ({ job: { result, errors, recipients = [] } }: { readonly job: Job }) => {
  const { t, language } = useWords()
  // Errors are pairs, English first.
  const error = errors?.[language === 'ar' ? 1 : 0]
  return (
    <>
      {result?.message !== undefined && <p>{result.message}</p>}
      {error !== undefined && <p className="fault">{error}</p>}
      {recipients.length > 0 && (
        <p className="muted">
          <bdi>{recipients.map(({ address }) => address).join(t.comma)}</bdi>
        </p>
      )}
    </>
  )
}
