import { useStore } from '../state/store.ts'
import { useWords } from '../texts/language.tsx'
import { JobCard } from './job-card.tsx'
import { NotificationList } from './notification-list.tsx'
import { changeTray, type TrayTab, tray } from './tray-state.ts'
import { trayTexts } from './tray-texts.ts'

/** The jobs of this tab and the notifications of the caller. */
export const TrayPanel = () => {
  const { language, number } = useWords()
  const texts = trayTexts[language]
  const { unread, isLive, open } = useStore(tray)
  return (
    <div className="tray">
      <div className="tabs">
        <Tab tab="jobs" open={open} label={texts.jobs} />
        <Tab
          tab="notifications"
          open={open}
          label={`${texts.notifications}${unread > 0 ? ` (${number(unread)})` : ''}`}
        />
        <span className={isLive ? 'live on' : 'live'}>{isLive ? texts.live : texts.notLive}</span>
      </div>
      {open === 'notifications' ? <NotificationList /> : <Jobs />}
    </div>
  )
}

interface TabProps {
  readonly tab: TrayTab
  readonly open: TrayTab | undefined
  readonly label: string
}

const Tab = ({ tab, open, label }: TabProps) => (
  <button type="button" className="tab" aria-pressed={open === tab} onClick={() => changeTray({ open: tab })}>
    {label}
  </button>
)

const Jobs = () => {
  const texts = trayTexts[useWords().language]
  const { jobs } = useStore(tray)
  if (jobs.length === 0) return <p className="help">{texts.noJobs}</p>
  return (
    <ul className="cards">
      {jobs.map((job) => (
        <JobCard key={job.id} job={job} />
      ))}
    </ul>
  )
}
