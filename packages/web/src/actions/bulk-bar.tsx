import { useEffect, useEffectEvent, useMemo } from 'react'
import type { ReactNode } from 'react'
import { Menu, Tooltip } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
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
import type { BulkAction, BulkOffer } from '@caretaker/rules/actions/actions.ts'
import { bulkActionLabels, offeredBulkActions } from '@caretaker/rules/actions/actions.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { useActor } from '../api/actor.ts'
import { useCommands } from '../api/commands.ts'
import { useFailureToast } from '../api/failure-toast.ts'
import { showWarning } from '../ui/toasts.tsx'
import { isAccessRightsAction } from './bulk-plans.ts'
import { openAction } from './open.ts'
import type { Picked } from './picked.ts'
import { previewQuery } from './picked.ts'
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
  /** Undefined while nothing is selected. */
  picked: Picked | undefined
  onClear: () => void
  /** Called when something was done with the selection and its dialog is closed. */
  onDone?: (action: BulkAction) => void
}

/** What can be done with the selected rows: floats above the pager from the first selection, and goes with × or Escape. */
export function BulkBar({ products, picked, onClear, onDone }: BulkBarProps) {
  const { count, offers } = useOffers(products, picked)
  const isNarrow = useMediaQuery('(width < 86em)', false, { getInitialValueInEffect: false })
  useClearByEscape(picked !== undefined, onClear)
  const press = (action: BulkAction) =>
    picked && count && openAction({ kind: 'bulk', action, picked, count, ...(onDone ? { onDone } : {}) })
  useCommands(
    useMemo(
      () =>
        offers
          .filter(({ reason }) => reason === undefined)
          .map(({ action }) => ({
            id: `bulk ${action}`,
            label: `${bulkActionLabels[action]}: ${devicesText(count ?? 0)} selected`,
            icon: <ActionIcon action={action} />,
            run: () => press(action),
          })),
      // oxlint-disable-next-line react/exhaustive-deps -- pressing is of the selection and the offers
      [offers, picked],
    ),
  )
  if (!picked) return undefined
  return (
    <div className={classes.place}>
      <div className={classes.bar} role="toolbar" aria-label="Selected devices">
        <span className={classes.count} role="status">
          {count === undefined ? 'Counting…' : `${count.toLocaleString('en-GB')} selected`}
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
