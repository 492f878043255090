import { Fragment, useEffect, useEffectEvent, useMemo } from 'react'
import type { ReactNode } from 'react'
import { Menu, Tooltip } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconDots, IconX } from '../icons/index.ts'
import { useCommands } from '../api/commands.ts'
import { isInsideCell } from '../ui/table/grid-keys.ts'
import { afterUndo } from './undo.ts'
import classes from './bulk-bar.module.css'

/** An action for the selected rows. */
export interface BarOffer {
  id: string
  label: string
  icon: ReactNode
  isPossible: boolean
  /** Why the action is disabled, or does not apply to all rows. */
  reason?: string | undefined
  isDanger?: boolean
}

/** Actions that belong together: as buttons if there is room, otherwise behind one button. */
export interface BarPart {
  offers: readonly BarOffer[]
  /** Whether a divider precedes them. */
  hasLine?: boolean
  menu?: { label: string; icon: ReactNode; isIconOnly?: boolean }
}

interface SelectionBarProps {
  /** The accessible name, for example 'Selected devices'. */
  label: string
  /** The number of rows; undefined until counted. */
  count: number | undefined
  /** The end of the palette commands, for example '12 devices selected'. */
  selected: string
  parts: readonly BarPart[]
  /** Buttons that narrow the selection. */
  narrowings?: ReactNode
  /** The width in em below which all actions are in one menu. */
  narrowBelow: number
  onPress: (id: string) => void
  onClear: () => void
  /** Called when a change was undone. */
  onUndone: () => void
}

/** The actions for the selected rows, floating above the pager; closed with × or Escape. */
export function SelectionBar(props: SelectionBarProps) {
  const { label, count, selected, parts, narrowings, narrowBelow, onPress, onClear, onUndone } = props
  const isNarrow = useMediaQuery(`(width < ${narrowBelow}em)`, false, { getInitialValueInEffect: false })
  useClearByEscape(onClear)
  const show = useEffectEvent(onUndone)
  useEffect(() => afterUndo(() => show()), [])
  const offers = useMemo(() => parts.flatMap((part) => part.offers), [parts])
  useCommands(
    useMemo(
      () =>
        offers
          .filter(({ isPossible }) => isPossible)
          .map((offer) => ({
            id: `bulk ${offer.id}`,
            label: `${offer.label}: ${selected}`,
            icon: offer.icon,
            run: () => onPress(offer.id),
          })),
      // oxlint-disable-next-line react/exhaustive-deps -- pressing is of the selection and the offers
      [offers, selected],
    ),
  )
  return (
    <div className={classes.place}>
      <div className={classes.bar} role="toolbar" aria-label={label}>
        {narrowings}
        <span className={classes.count} role="status">
          {count === undefined ? 'Counting…' : `${count.toLocaleString('en-GB')} selected`}
        </span>
        {isNarrow ? (
          <OfferMenu offers={offers} onPress={onPress}>
            <button type="button" className={classes.action}>
              <IconDots size={18} aria-hidden />
              Actions
            </button>
          </OfferMenu>
        ) : (
          <WideOffers parts={parts} onPress={onPress} />
        )}
        <button
          type="button"
          className={classes.clear}
          aria-label="Clear selection"
          title="Clear selection"
          onClick={onClear}
        >
          <IconX size={18} aria-hidden />
        </button>
      </div>
    </div>
  )
}

interface OffersProps {
  offers: readonly BarOffer[]
  onPress: (id: string) => void
}

/** Buttons side by side, and menus for grouped actions. */
function WideOffers({ parts, onPress }: Pick<SelectionBarProps, 'parts' | 'onPress'>) {
  return (
    <>
      {parts
        .filter(({ offers }) => offers.length > 0)
        .map(({ offers, hasLine, menu }) => (
          <Fragment key={offers[0]!.id}>
            {hasLine && <span className={classes.line} aria-hidden />}
            {menu ? (
              <OfferMenu offers={offers} onPress={onPress}>
                <button
                  type="button"
                  className={classes.action}
                  {...(menu.isIconOnly && { 'aria-label': menu.label, title: menu.label })}
                >
                  {menu.icon}
                  {!menu.isIconOnly && menu.label}
                </button>
              </OfferMenu>
            ) : (
              offers.map((offer) => <OfferButton key={offer.id} offer={offer} onPress={onPress} />)
            )}
          </Fragment>
        ))}
      <span className={classes.line} aria-hidden />
    </>
  )
}

function OfferMenu({ offers, onPress, children }: OffersProps & { children: ReactNode }) {
  return (
    <Menu position="top" width={280} withInitialFocusPlaceholder={false}>
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown className={classes.menu}>
        {offers.map(({ id, label, icon, isPossible, isDanger, reason }) => (
          <Menu.Item
            key={id}
            leftSection={icon}
            className={isPossible ? (isDanger ? classes.danger : undefined) : classes.unfit}
            aria-disabled={!isPossible}
            closeMenuOnClick={isPossible}
            onClick={() => isPossible && onPress(id)}
          >
            {label}
            {reason !== undefined && <span className={classes.reason}>{reason}</span>}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

interface OfferButtonProps extends Omit<OffersProps, 'offers'> {
  offer: BarOffer
}

/** A disabled action stays focusable, so that its reason can be read. */
function OfferButton({ offer: { id, label, icon, isPossible, reason }, onPress }: OfferButtonProps) {
  const button = (
    <button
      type="button"
      className={classes.action}
      aria-disabled={!isPossible}
      {...(isPossible ? { onClick: () => onPress(id) } : {})}
      {...(reason === undefined ? {} : { 'aria-description': reason })}
    >
      {icon}
      {label}
    </button>
  )
  if (reason === undefined) return button
  return (
    <Tooltip label={reason} events={{ hover: true, focus: true, touch: true }}>
      {button}
    </Tooltip>
  )
}

/** Escape clears the selection, unless an open overlay or a cell entered by keyboard handles it. */
function useClearByEscape(clear: () => void): void {
  const onEscape = useEffectEvent(clear)
  useEffect(() => {
    // Read on focus, because any later key, including Escape, sets :focus-visible.
    let isByKeys = document.activeElement?.matches(':focus-visible')
    const onFocus = ({ target }: FocusEvent) => (isByKeys = (target as Element).matches(':focus-visible'))
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || (isByKeys && isInsideCell(event.target))) return
      const isTyping = event.target instanceof Element && event.target.closest('input:not([type=checkbox]), textarea')
      if (isTyping || document.querySelector('[role=dialog], [role=menu], [role=listbox]')) return
      onEscape()
    }
    // Captured before an open overlay handles the key and closes.
    window.addEventListener('keydown', onKeyDown, { capture: true })
    document.addEventListener('focusin', onFocus)
    return () => {
      window.removeEventListener('keydown', onKeyDown, { capture: true })
      document.removeEventListener('focusin', onFocus)
    }
  }, [])
}
