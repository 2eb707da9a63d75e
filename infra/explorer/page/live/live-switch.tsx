import { useWords } from '../texts/language.tsx'
import { liveTexts } from './live-texts.ts'
import type { LiveSign } from './use-live-rows.ts'

interface LiveSwitchProps {
  readonly isOn: boolean
  readonly sign: LiveSign
  /** Why the rows are not live. */
  readonly reason: string | undefined
  readonly onSwitch: () => void
}

/** The switch of live rows, with a small sign of whether they are. */
export const LiveSwitch = ({ isOn, sign, reason, onSwitch }: LiveSwitchProps) => {
  const { language } = useWords()
  const texts = liveTexts[language]
  return (
    <span className="live-sign">
      <button
        type="button"
        role="switch"
        className={`button quiet live-switch is-${sign}`}
        aria-checked={isOn}
        title={reason ?? texts.help}
        onClick={onSwitch}
      >
        <span className="live-dot" aria-hidden="true" />
        {texts.live}
      </button>
      <small className="muted">{texts.signs[sign]}</small>
    </span>
  )
}
