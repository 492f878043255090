import { useEffect, useEffectEvent, useMemo } from 'react'
import type { ReactNode } from 'react'
import { Menu, Tooltip } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import {
  IconBolt,
  IconDots,
  IconKey,
  IconKeyOff,
  IconPlugConnected,
  IconPlugConnectedX,
  IconTags,
  IconTagsOff,
  IconTrash,
  IconX,
} from '@tabler/icons-react'
import type { SelectedDevice } from '@caretaker/contract/devices.ts'
import type { BulkAction, BulkOffer } from '@caretaker/rules/actions/actions.ts'
import { bulkActionLabels, offeredBulkActions } from '@caretaker/rules/actions/actions.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { useActor } from '../api/actor.ts'
import { useCommands } from '../api/commands.ts'
import { isAccessRightsAction } from './bulk-plans.ts'
import { openAction } from './open.ts'
import { devices as devicesText } from './tag-changes.ts'
import classes from './bulk-bar.module.css'

const icons: Record<BulkAction, typeof IconBolt> = {
  'add tags': IconTags,
  'remove tags': IconTagsOff,
  'add access rights tags': IconKey,
  'remove access rights tags': IconKeyOff,
  'flick test': IconBolt,
  'join network': IconPlugConnected,
  'leave network': IconPlugConnectedX,
  uninstall: IconTrash,
}

interface BulkBarProps {
  /** What the listing can hold, which decides what its people are offered. */
  products: readonly Product[]
  selected: readonly SelectedDevice[]
  onClear: () => void
  /** Called when something was done with the selection and its dialog is closed. */
  onDone?: (action: BulkAction) => void
}

/** What can be done with the selected rows: floats above the pager from the first selection, and goes with × or Escape. */
export function BulkBar({ products, selected, onClear, onDone }: BulkBarProps) {
  const actor = useActor()
  const isNarrow = useMediaQuery('(width < 86em)', false, { getInitialValueInEffect: false })
  const offers = useMemo(() => offersFor(actor, products, selected), [actor, products, selected])
  useClearByEscape(selected.length > 0, onClear)
  const press = (action: BulkAction) =>
    openAction({ kind: 'bulk', action, devices: selected, ...(onDone ? { onDone } : {}) })
  useCommands(
    useMemo(
      () =>
        offers
          .filter(({ reason }) => reason === undefined)
          .map(({ action }) => ({
            id: `bulk ${action}`,
            label: `${bulkActionLabels[action]}: ${devicesText(selected.length)} selected`,
            icon: <ActionIcon action={action} />,
            run: () => press(action),
          })),
      // oxlint-disable-next-line react/exhaustive-deps -- pressing is of the selection and the offers
      [offers, selected],
    ),
  )
  if (selected.length === 0) return undefined
  return (
    <div className={classes.place}>
      <div className={classes.bar} role="toolbar" aria-label="Selected devices">
        <span className={classes.count} role="status">
          {selected.length.toLocaleString('en-GB')} selected
        </span>
        {isNarrow ? <NarrowOffers offers={offers} onPress={press} /> : <WideOffers offers={offers} onPress={press} />}
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

function offersFor(actor: Actor, products: readonly Product[], selected: readonly SelectedDevice[]): BulkOffer[] {
  if (selected.length === 0) return []
  const subjects = selected.map(({ deviceStatus }) => ({ status: deviceStatus }))
  return offeredBulkActions(actor, products, subjects)
}

interface OffersProps {
  offers: readonly BulkOffer[]
  onPress: (action: BulkAction) => void
}

function ActionIcon({ action }: { action: BulkAction }) {
  const Icon = icons[action]
  return <Icon size={18} stroke={1.7} aria-hidden />
}

/** Buttons side by side; the two of access rights, with their long names, behind one. */
function WideOffers({ offers, onPress }: OffersProps) {
  const rights = offers.filter(({ action }) => isAccessRightsAction(action))
  const tags = offers.filter(({ action }) => action === 'add tags' || action === 'remove tags')
  const others = offers.filter((offer) => !rights.includes(offer) && !tags.includes(offer))
  return (
    <>
      {tags.length > 0 && <span className={classes.line} aria-hidden />}
      {tags.map((offer) => (
        <OfferButton key={offer.action} offer={offer} onPress={onPress} />
      ))}
      {rights.length > 0 && (
        <OfferMenu offers={rights} onPress={onPress}>
          <button type="button" className={classes.action}>
            <IconKey size={18} stroke={1.7} aria-hidden />
            Access rights
          </button>
        </OfferMenu>
      )}
      {others.length > 0 && <span className={classes.line} aria-hidden />}
      {others.map((offer) => (
        <OfferButton key={offer.action} offer={offer} onPress={onPress} />
      ))}
      <span className={classes.line} aria-hidden />
    </>
  )
}

/** Everything in one menu, where there is no room for buttons. */
function NarrowOffers({ offers, onPress }: OffersProps) {
  return (
    <OfferMenu offers={offers} onPress={onPress}>
      <button type="button" className={classes.action}>
        <IconDots size={18} aria-hidden />
        Actions
      </button>
    </OfferMenu>
  )
}

function OfferMenu({ offers, onPress, children }: OffersProps & { children: ReactNode }) {
  return (
    <Menu position="top" width={280} withInitialFocusPlaceholder={false}>
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown className={classes.menu}>
        {offers.map(({ action, reason }) => (
          <Menu.Item
            key={action}
            leftSection={<ActionIcon action={action} />}
            className={reason === undefined ? (action === 'uninstall' ? classes.danger : undefined) : classes.unfit}
            aria-disabled={reason !== undefined}
            closeMenuOnClick={reason === undefined}
            onClick={() => reason === undefined && onPress(action)}
          >
            {bulkActionLabels[action]}
            {reason !== undefined && <span className={classes.reason}>{reason}</span>}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

/** One that cannot be done with this selection stays in reach, so that its reason can be read. */
function OfferButton({ offer: { action, reason }, onPress }: { offer: BulkOffer; onPress: OffersProps['onPress'] }) {
  const button = (
    <button
      type="button"
      className={classes.action}
      aria-disabled={reason !== undefined}
      {...(reason === undefined ? { onClick: () => onPress(action) } : { 'aria-description': reason })}
    >
      <ActionIcon action={action} />
      {bulkActionLabels[action]}
    </button>
  )
  if (reason === undefined) return button
  return (
    <Tooltip label={reason} events={{ hover: true, focus: true, touch: true }}>
      {button}
    </Tooltip>
  )
}

/** Escape clears the selection, unless it is meant for something that is open. */
function useClearByEscape(enabled: boolean, clear: () => void): void {
  const onEscape = useEffectEvent(clear)
  useEffect(() => {
    if (!enabled) return undefined
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return
      const isTyping = event.target instanceof Element && event.target.closest('input:not([type=checkbox]), textarea')
      if (isTyping || document.querySelector('[role=dialog], [role=menu], [role=listbox]')) return
      onEscape()
    }
    // Before whatever is open hears of it, and is gone.
    window.addEventListener('keydown', onKeyDown, { capture: true })
    return () => window.removeEventListener('keydown', onKeyDown, { capture: true })
  }, [enabled])
}
