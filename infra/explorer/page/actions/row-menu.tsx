import * as Popover from '@/popover'
import { ownPath } from '../service/deployment.ts'
import { type Item, type ItemAction, itemActions, type RowAction, rowUrls, type Structure } from '../service/wire.ts'
import type { OnEdit } from '../table/table-row.tsx'
import { useWords } from '../texts/language.tsx'
import { copyText } from '../ui/copy-text.ts'
import { Icon } from '../ui/icon.tsx'
import { OverlayContext } from '../ui/overlay-context.tsx'
import { closeUnlessPressed, PopupContent, useOnlyPopup } from '../ui/popup-frame.tsx'
import { safeHref } from '../ui/safe-href.ts'
import { askEffects } from './effects.ts'
import type { Plan } from './plan.ts'
import { rowName } from './row-name.ts'

export interface OpenMenu {
  readonly item: Item
  readonly button: HTMLElement
}

const valuesTexts = { en: 'All values', ar: 'جميع القيم' }

interface RowMenuProps {
  readonly structure: Structure
  readonly menu: OpenMenu | undefined
  readonly close: () => void
  readonly begin: (plan: Plan) => void
  /** Shows every value of a row. */
  readonly onOpen: (item: Item) => void
  readonly onEdit: OnEdit
}

/** Lists the actions of one row beside the pressed button. */
export const RowMenu = ({ structure, menu, close, begin, onOpen, onEdit }: RowMenuProps) => {
  const { t, language } = useWords()
  useOnlyPopup(menu !== undefined, close)
  return (
    <OverlayContext>
      <Popover.Root open={menu !== undefined} onOpenChange={closeUnlessPressed(menu?.button, close)}>
        {menu && (
          <PopupContent title={t.rowActions(rowName(structure, menu.item))} align="end" anchor={menu.button}>
            <ul className="options">
              <li>
                <button
                  type="button"
                  className="option"
                  onClick={() => {
                    close()
                    onOpen(menu.item)
                  }}
                >
                  {valuesTexts[language]}
                </button>
              </li>
              {structure.columns
                .filter(({ editable }) => editable)
                .map((column) => (
                  <li key={`cell ${column.data_src}`}>
                    <button
                      type="button"
                      className="option"
                      onClick={() => {
                        close()
                        // The menu gives the focus back first.
                        setTimeout(() => onEdit(menu.item, column, menu.button))
                      }}
                    >
                      {t.editCell(column.label)}
                    </button>
                  </li>
                ))}
              {Object.entries(itemActions(menu.item)).map(([key, entry]) => {
                const action = structure.rowActions[key]
                return (
                  action &&
                  entry && (
                    <li key={key}>
                      <MenuEntry
                        structure={structure}
                        action={action}
                        entry={entry}
                        item={menu.item}
                        close={close}
                        begin={begin}
                      />
                    </li>
                  )
                )
              })}
            </ul>
          </PopupContent>
        )}
      </Popover.Root>
    </OverlayContext>
  )
}

interface MenuEntryProps extends Pick<RowMenuProps, 'structure' | 'close' | 'begin'> {
  readonly action: RowAction
  readonly entry: ItemAction
  readonly item: Item
}

const MenuEntry = ({ structure, action, entry, item, close, begin }: MenuEntryProps) => {
  const { t } = useWords()
  const { redirect_routes: routes, toggle_current_value: isOn, copy_value: copied, reason } = entry
  const isDisabled = entry.enabled === false
  if (routes !== undefined) {
    return (
      <a className="option" href={safeHref(routes.web ?? routes.api)} target="_blank" rel="noopener noreferrer">
        <span className="grow">{action.label}</span>
        <Icon name="away" turns />
      </a>
    )
  }
  const choose = () => {
    if (isDisabled) return
    close()
    if (copied === undefined) begin({ ...createPlan(action, entry, item), rowName: rowName(structure, item) })
    else void copyText(copied, t)
  }
  return (
    <button
      type="button"
      className="option"
      onClick={choose}
      {...(isDisabled && { 'aria-disabled': true })}
      {...(isOn !== undefined && { role: 'switch', 'aria-checked': isOn })}
    >
      <span className="grow">
        {action.label}
        {reason !== undefined && <small className="reason">{reason}</small>}
      </span>
      {isOn !== undefined && <span className={isOn ? 'switch on' : 'switch'} />}
      {copied !== undefined && <Icon name="copy" />}
    </button>
  )
}

/** A form that the service fills in itself is asked for by calling the action without one. */
const createPlan = (action: RowAction, entry: ItemAction, row: Item): Plan => ({
  title: action.label,
  path: ownPath(rowUrls(action, entry, row)),
  body: {},
  row,
  isRemoval: action.onSuccess === 'deleteRow',
  page: action.onSuccess === 'reload' || action.onSuccess === 'OpenModalForm' ? undefined : askEffects(action.form),
  ...(action.need_confirmation && { question: action.confirmation ?? '' }),
  ...(action.onSuccess === 'OpenModalForm' ? { opensForm: true } : action.form !== undefined && { form: action.form }),
})
