import { useStore } from '../state/store.ts'
import { useWords } from '../texts/language.tsx'
import { Icon } from '../ui/icon.tsx'
import { Popup } from '../ui/popup.tsx'
import { changeTray, isOver, tray } from './tray-state.ts'

/** Lists running jobs and notifications behind a bell. */
export const Tray = () => {
  const { t, number } = useWords()
  const { jobs, unread, open } = useStore(tray)
  const running = jobs.filter((job) => !isOver(job)).length
  const count = running + unread
  return (
    <Popup
      className="button quiet square"
      title={t.tray}
      label={count > 0 ? `${t.tray} (${number(count)})` : t.tray}
      align="end"
      open={open !== undefined}
      onOpenChange={(next) => changeTray({ open: next ? (running > 0 ? 'jobs' : 'notifications') : undefined })}
      trigger={
        <span className="bell">
          <Icon name="bell" />
          {count > 0 && <span className={running > 0 ? 'tally busy' : 'tally'}>{number(count)}</span>}
        </span>
      }
    >
      {(menus) => <menus.TrayPanel />}
    </Popup>
  )
}
