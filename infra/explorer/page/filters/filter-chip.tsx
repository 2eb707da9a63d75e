import { useWords } from '../texts/language.tsx'
import { Icon } from '../ui/icon.tsx'
import { Popup } from '../ui/popup.tsx'
import type { EditorProps } from './editor-props.ts'
import { describeApplied } from './filter-field.ts'
import { resolvedText } from './period-words.ts'

interface FilterChipProps extends Omit<EditorProps, 'close'> {
  readonly fault: string | undefined
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}

/** A button that shows an applied filter and opens its editor. */
export const FilterChip = ({ fault, open, onOpenChange, ...editor }: FilterChipProps) => {
  const words = useWords()
  const { field, applied, bindings, resolved, apply } = editor
  const isOn = applied.length > 0
  const close = () => onOpenChange(false)
  return (
    <span className={`chip-group${isOn ? ' on' : ''}${fault === undefined ? '' : ' faulty'}`}>
      <Popup
        className="chip"
        title={field.label}
        // Chosen among other filters, it is open from the beginning.
        takesFocus
        open={open}
        onOpenChange={onOpenChange}
        trigger={
          <>
            <span>{field.label}</span>
            {isOn ? (
              <>
                <bdi className="chip-value">{describeApplied(field, applied, bindings, words)}</bdi>
                {resolved && <bdi className="chip-period">{resolvedText(resolved, words.t)}</bdi>}
              </>
            ) : (
              <Icon name="down" />
            )}
          </>
        }
      >
        {(menus) => <menus.FilterEditor {...editor} fault={fault} close={close} />}
      </Popup>
      {isOn && (
        <button type="button" className="chip clear" aria-label={words.t.remove(field.label)} onClick={() => apply([])}>
          <Icon name="close" />
        </button>
      )}
    </span>
  )
}
