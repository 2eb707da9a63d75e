import { useStore } from '../state/store.ts'
import { useWords } from '../texts/language.tsx'
import { Icon } from '../ui/icon.tsx'
import { Popup } from '../ui/popup.tsx'
import { JobCard } from './job-card.tsx'
import { NotificationList } from './notification-list.tsx'
import { isOver, openTray, type TrayTab, tray } from './tray-state.ts'

/** Lists running jobs and notifications behind a bell. */
export const Tray = () => {
  const { t, number } = useWords()
  const { jobs, unread, isLive, open } = useStore(tray)
  const running = jobs.filter((job) => !isOver(job)).length
  const count = running + unread
  return (
    <Popup
      className="button quiet square"
      title={t.tray}
      label={count > 0 ? `${t.tray} (${number(count)})` : t.tray}
      align="end"
      open={open !== undefined}
      onOpenChange={(next) => openTray(next ? (running > 0 ? 'jobs' : 'notifications') : undefined)}
      trigger={
        <span className="bell">
          <Icon name="bell" />
          {count > 0 && <span className={running > 0 ? 'tally busy' : 'tally'}>{number(count)}</span>}
        </span>
      }
    >
      <div className="tray">
        <div className="tabs">
          <Tab tab="jobs" open={open} label={t.jobs} />
          <Tab
            tab="notifications"
            open={open}
            label={`${t.notifications}${unread > 0 ? ` (${number(unread)})` : ''}`}
          />
          <span className={isLive ? 'live on' : 'live'}>{isLive ? t.live : t.notLive}</span>
        </div>
        {open === 'notifications' ? <NotificationList /> : <Jobs />}
      </div>
    </Popup>
  )
}

interface TabProps {
  readonly tab: TrayTab
  readonly open: TrayTab | undefined
  readonly label: string
}

const Tab = ({ tab, open, label }: TabProps) => (
  <button type="button" className="tab" aria-pressed={open === tab} onClick={() => openTray(tab)}>
    {label}
  </button>
)

const Jobs = () => {
  const { t } = useWords()
  const { jobs } = useStore(tray)
  if (jobs.length === 0) return <p className="help">{t.noJobs}</p>
  return (
    <ul className="cards">
      {jobs.map((job) => (
        <JobCard key={job.id} job={job} />
      ))}
    </ul>
  )
}
