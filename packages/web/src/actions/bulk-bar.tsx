import { useEffect, useEffectEvent, useMemo } from 'react'
import type { ReactNode } from 'react'
import { Menu, Tooltip } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import {
  IconBattery,
  IconBolt,
  IconBuilding,
  IconBulb,
  IconCalendarEvent,
  IconDots,
  IconKey,
  IconKeyOff,
  IconPlugConnected,
  IconPlugConnectedX,
  IconTags,
  IconTagsOff,
  IconTool,
  IconTrash,
  IconX,
} from '../icons/index.ts'
import type { BulkAction, BulkOffer } from '@caretaker/rules/actions/actions.ts'
import { bulkActionLabels, offeredBulkActions, statusesFor } from '@caretaker/rules/actions/actions.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import type { Filter } from '@caretaker/rules/lists/filters.ts'
import { useActor } from '../api/actor.ts'
import { useCommands } from '../api/commands.ts'
import { useFailureToast } from '../api/failure-toast.ts'
import { isInsideCell } from '../ui/table/grid-keys.ts'
import { showWarning } from '../ui/toasts.tsx'
import { isLightAction } from '@caretaker/rules/actions/light-settings.ts'
import { isAccessRightsAction } from './bulk-plans.ts'
import { openAction } from './open.ts'
import type { Picked, SelectedDevice } from './picked.ts'
import { afterUndo } from './undo.ts'
import { previewQuery } from './picked.ts'
import { devices as devicesText } from './tag-changes.ts'
import classes from './bulk-bar.module.css'

const icons: Record<BulkAction, typeof IconBolt> = {
  'add tags': IconTags,
  'remove tags': IconTagsOff,
  'add access rights tags': IconKey,
  'remove access rights tags': IconKeyOff,
  'move lights': IconBuilding,
  'set luminaire': IconBulb,
  'set battery day': IconBattery,
  'set status': IconTool,
  'add to group': IconCalendarEvent,
  'flick test': IconBolt,
  'join network': IconPlugConnected,
  'leave network': IconPlugConnectedX,
  uninstall: IconTrash,
}

interface BulkBarProps {
  /** What the listing can hold, which decides what its people are offered. */
  products: readonly Product[]
  /** Undefined while nothing is selected. */
  picked: Picked | undefined
  onClear: () => void
  /** Keeps the selected devices that fit, which the filter finds. */
  onNarrow: (fits: (device: SelectedDevice) => boolean, filter: Filter) => void
  /** Called when something was done with the selection and its dialog is closed. */
  onDone?: (action: BulkAction) => void
}

/** What can be done with the selected rows: floats above the pager from the first selection, and goes with × or Escape. */
export function BulkBar({ products, picked, onClear, onNarrow, onDone }: BulkBarProps) {
  const { count, offers } = useOffers(products, picked)
  // Lights have one button more.
  const more = offers.some(({ action }) => isLightAction(action)) ? 4 : 0
  const isNarrow = useMediaQuery(`(width < ${86 + more}em)`, false, { getInitialValueInEffect: false })
  useClearByEscape(picked !== undefined, onClear)
  const show = useEffectEvent(() => onDone?.('add tags'))
  useEffect(() => afterUndo(() => show()), [])
  const press = ({ action }: BulkOffer) =>
    picked && count && openAction({ kind: 'bulk', action, picked, count, ...(onDone ? { onDone } : {}) })
  useCommands(
    useMemo(
      () =>
        offers.filter(isPossible).map((offer) => ({
          id: `bulk ${offer.action}`,
          label: `${bulkActionLabels[offer.action]}: ${devicesText(count ?? 0)} selected`,
          icon: <ActionIcon action={offer.action} />,
          run: () => press(offer),
        })),
      // oxlint-disable-next-line react/exhaustive-deps -- pressing is of the selection and the offers
      [offers, picked],
    ),
  )
  if (!picked) return undefined
  const shown = { offers, onPress: press }
  return (
    <div className={classes.place}>
      <div className={classes.bar} role="toolbar" aria-label="Selected devices">
        {narrowingsOf(offers, count).map(({ statuses, suitable, reason }) => (
          <p key={reason} className={classes.narrowing}>
            {reason}.
            <button
              type="button"
              className={classes.action}
              onClick={() =>
                onNarrow(({ deviceStatus }) => statuses.includes(deviceStatus), {
                  fieldId: 'status',
                  filterOp: 'anyof',
                  value: statuses,
                })
              }
            >
              Select only the {suitable.toLocaleString('en-GB')} that {suitable === 1 ? 'is' : 'are'}
            </button>
          </p>
        ))}
        <span className={classes.count} role="status">
          {count === undefined ? 'Counting…' : `${count.toLocaleString('en-GB')} selected`}
        </span>
        {isNarrow ? <NarrowOffers {...shown} /> : <WideOffers {...shown} />}
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

/** How many devices are selected, and what can be done with them: known here of picked ones, asked for of a question. */
function useOffers(products: readonly Product[], picked: Picked | undefined) {
  const actor = useActor()
  const preview = useQuery(previewQuery(actor.tenant, picked))
  useFailureToast(preview, 'The selected devices could not be counted.')
  const readOnly = preview.isPlaceholderData ? 0 : (preview.data?.readOnly ?? 0)
  useEffect(() => {
    if (readOnly > 0)
      showWarning(`${readOnly.toLocaleString('en-GB')} that you can read, but not change, are not selected.`)
  }, [readOnly])
  const offers = useMemo((): BulkOffer[] => {
    if (!picked) return []
    if ('devices' in picked)
      return offeredBulkActions(
        actor,
        products,
        picked.devices.map(({ deviceStatus }) => ({ status: deviceStatus })),
      )
    const { total = 0, actions = [] } = preview.data ?? {}
    return actions.map(({ action, suitable, reason }) => ({
      action,
      unsuitable: total - suitable,
      ...(reason === null ? {} : { reason }),
    }))
  }, [actor, products, picked, preview.data])
  return { count: picked && 'devices' in picked ? picked.devices.length : preview.data?.total, offers }
}

interface OffersProps {
  offers: readonly BulkOffer[]
  onPress: (offer: BulkOffer) => void
}

/** Whether it can be done to all selected devices (devices specification, section 6). */
const isPossible = ({ unsuitable }: BulkOffer) => unsuitable === 0

interface Narrowing {
  statuses: readonly DeviceStatus[]
  /** How many of the selected devices have one of them. */
  suitable: number
  reason: string
}

/** What a selection can be narrowed to so that actions become possible. Of rules that keep as many devices, the strictest counts. */
function narrowingsOf(offers: readonly BulkOffer[], count = 0): Narrowing[] {
  const narrowings = new Map<number, Narrowing>()
  for (const { action, unsuitable, reason } of offers) {
    const suitable = count - unsuitable
    if (reason === undefined || suitable <= 0) continue
    const statuses = statusesFor(action)
    // Of two sets of statuses one is part of the other: as many devices are the same devices.
    if (statuses.length < (narrowings.get(suitable)?.statuses.length ?? Infinity))
      narrowings.set(suitable, { statuses, suitable, reason })
  }
  return [...narrowings.values()]
}

function ActionIcon({ action }: { action: BulkAction }) {
  const Icon = icons[action]
  return <Icon size={18} stroke={1.7} aria-hidden />
}

/** Buttons side by side; the two of access rights, with their long names, behind one, and what lights are given behind another. */
function WideOffers({ offers, ...rest }: OffersProps) {
  const rights = offers.filter(({ action }) => isAccessRightsAction(action))
  const tags = offers.filter(({ action }) => action === 'add tags' || action === 'remove tags')
  const given = offers.filter(({ action }) => isLightAction(action))
  const others = offers.filter((offer) => ![...rights, ...tags, ...given].includes(offer))
  return (
    <>
      {tags.length > 0 && <span className={classes.line} aria-hidden />}
      {tags.map((offer) => (
        <OfferButton key={offer.action} offer={offer} {...rest} />
      ))}
      {rights.length > 0 && (
        <OfferMenu offers={rights} {...rest}>
          <button type="button" className={classes.action}>
            <IconKey size={18} stroke={1.7} aria-hidden />
            Access rights
          </button>
        </OfferMenu>
      )}
      {given.length > 0 && (
        <OfferMenu offers={given} {...rest}>
          <button type="button" className={classes.action} aria-label="Change lights" title="Change lights">
            <IconBulb size={18} stroke={1.7} aria-hidden />
          </button>
        </OfferMenu>
      )}
      {others.length > 0 && <span className={classes.line} aria-hidden />}
      {others.map((offer) => (
        <OfferButton key={offer.action} offer={offer} {...rest} />
      ))}
      <span className={classes.line} aria-hidden />
    </>
  )
}

/** Everything in one menu, where there is no room for buttons. */
function NarrowOffers(props: OffersProps) {
  return (
    <OfferMenu {...props}>
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
        {offers.map((offer) => {
          const { action, reason } = offer
          const possible = isPossible(offer)
          return (
            <Menu.Item
              key={action}
              leftSection={<ActionIcon action={action} />}
              className={possible ? (action === 'uninstall' ? classes.danger : undefined) : classes.unfit}
              aria-disabled={!possible}
              closeMenuOnClick={possible}
              onClick={() => possible && onPress(offer)}
            >
              {bulkActionLabels[action]}
              {reason !== undefined && <span className={classes.reason}>{reason}</span>}
            </Menu.Item>
          )
        })}
      </Menu.Dropdown>
    </Menu>
  )
}

interface OfferButtonProps extends Omit<OffersProps, 'offers'> {
  offer: BulkOffer
}

/** An action that is not possible with this selection can still be focused, so that its reason can be read. */
function OfferButton({ offer, onPress }: OfferButtonProps) {
  const { action, reason } = offer
  const possible = isPossible(offer)
  const button = (
    <button
      type="button"
      className={classes.action}
      aria-disabled={!possible}
      {...(possible ? { onClick: () => onPress(offer) } : {})}
      {...(reason === undefined ? {} : { 'aria-description': reason })}
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

/** Escape clears the selection, unless it is meant for something that is open, or for a cell that somebody went into by keys. */
function useClearByEscape(enabled: boolean, clear: () => void): void {
  const onEscape = useEffectEvent(clear)
  useEffect(() => {
    if (!enabled) return undefined
    // Asked when the focus comes: any key, Escape too, makes it look as if keys had brought it.
    let isByKeys = document.activeElement?.matches(':focus-visible')
    const onFocus = ({ target }: FocusEvent) => (isByKeys = (target as Element).matches(':focus-visible'))
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || (isByKeys && isInsideCell(event.target))) return
      const isTyping = event.target instanceof Element && event.target.closest('input:not([type=checkbox]), textarea')
      if (isTyping || document.querySelector('[role=dialog], [role=menu], [role=listbox]')) return
      onEscape()
    }
    // Before whatever is open hears of it, and is gone.
    window.addEventListener('keydown', onKeyDown, { capture: true })
    document.addEventListener('focusin', onFocus)
    return () => {
      window.removeEventListener('keydown', onKeyDown, { capture: true })
      document.removeEventListener('focusin', onFocus)
    }
  }, [enabled])
}
