import { useEffect, useMemo } from 'react'
import { useQuery } from '@tanstack/react-query'
import {
  IconBattery,
  IconBolt,
  IconBuilding,
  IconBulb,
  IconCalendarEvent,
  IconKey,
  IconKeyOff,
  IconPlugConnected,
  IconPlugConnectedX,
  IconTags,
  IconTagsOff,
  IconTool,
  IconTrash,
} from '../icons/index.ts'
import type { BulkAction, BulkOffer } from '@caretaker/rules/actions/actions.ts'
import { bulkActionLabels, bulkActions, offeredBulkActions, statusesFor } from '@caretaker/rules/actions/actions.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import type { Filter } from '@caretaker/rules/lists/filters.ts'
import { useActor } from '../api/actor.ts'
import { useFailureToast } from '../api/failure-toast.ts'
import { showWarning } from '../ui/toasts.tsx'
import { isLightAction } from '@caretaker/rules/actions/light-settings.ts'
import { isAccessRightsAction, isTagAction } from './bulk-plans.ts'
import { openAction } from './open.ts'
import type { Picked, SelectedDevice } from './picked.ts'
import { previewQuery } from './picked.ts'
import type { BarPart } from './selection-bar.tsx'
import { SelectionBar } from './selection-bar.tsx'
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
  /** The listing's products, which determine the actions offered. */
  products: readonly Product[]
  /** Undefined while nothing is selected. */
  picked: Picked | undefined
  onClear: () => void
  /** Keeps only the selected devices that fit, as found by the filter. */
  onNarrow: (fits: (device: SelectedDevice) => boolean, filter: Filter) => void
  /** Called when a dialog closes after an action on the selection. */
  onDone?: (action: BulkAction) => void
}

/** The actions for the selected devices. */
export function BulkBar({ products, picked, onClear, onNarrow, onDone }: BulkBarProps) {
  const { count, offers } = useOffers(products, picked)
  const parts = useMemo(() => partsOf(offers), [offers])
  if (!picked) return undefined
  return (
    <SelectionBar
      label="Selected devices"
      count={count}
      selected={`${devicesText(count ?? 0)} selected`}
      parts={parts}
      // Lights have one more button.
      narrowBelow={86 + (offers.some(({ action }) => isLightAction(action)) ? 4 : 0)}
      onPress={(id) => {
        const action = bulkActions.find((one) => one === id)
        if (action && count) openAction({ kind: 'bulk', action, picked, count, ...(onDone ? { onDone } : {}) })
      }}
      onClear={onClear}
      onUndone={() => onDone?.('add tags')}
      narrowings={narrowingsOf(offers, count).map(({ statuses, suitable, reason }) => (
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
    />
  )
}

/**
 * Groups the two access rights actions, which have long names, under one button, and the light settings under another.
 */
function partsOf(all: readonly BulkOffer[]): BarPart[] {
  const offersOf = (isOne: (action: BulkAction) => boolean) =>
    all
      .filter(({ action }) => isOne(action))
      .map(({ action, unsuitable, reason }) => ({
        ...{ id: action, label: bulkActionLabels[action], icon: <ActionIcon action={action} />, reason },
        // An action applies to all selected devices or is disabled (devices specification, section 6).
        ...{ isPossible: unsuitable === 0, isDanger: action === 'uninstall' },
      }))
  const isOther = (action: BulkAction) =>
    !isTagAction(action) && !isAccessRightsAction(action) && !isLightAction(action)
  const icon = { size: 18, stroke: 1.7, 'aria-hidden': true }
  return [
    { offers: offersOf(isTagAction), hasLine: true },
    { offers: offersOf(isAccessRightsAction), menu: { label: 'Access rights', icon: <IconKey {...icon} /> } },
    {
      offers: offersOf(isLightAction),
      menu: { label: 'Change lights', icon: <IconBulb {...icon} />, isIconOnly: true },
    },
    { offers: offersOf(isOther), hasLine: true },
  ]
}

function ActionIcon({ action }: { action: BulkAction }) {
  const Icon = icons[action]
  return <Icon size={18} stroke={1.7} aria-hidden />
}

/**
 * The number of selected devices and the actions for them: computed here for picked rows, by the server for a query.
 */
function useOffers(products: readonly Product[], picked: Picked | undefined) {
  const actor = useActor()
  const preview = useQuery(previewQuery(actor.tenant, picked))
  useFailureToast(preview, 'The selected devices could not be counted.')
  const readOnly = preview.isPlaceholderData ? 0 : (preview.data?.readOnly ?? 0)
  useEffect(() => {
    if (readOnly > 0)
      showWarning(`${readOnly.toLocaleString('en-GB')} that you can see but not change are not selected.`)
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

interface Narrowing {
  statuses: readonly DeviceStatus[]
  /** The number of selected devices that have one of these statuses. */
  suitable: number
  reason: string
}

/**
 * Narrowings of the selection that enable actions. If several keep the same number of devices, the strictest is used.
 */
function narrowingsOf(offers: readonly BulkOffer[], count = 0): Narrowing[] {
  const narrowings = new Map<number, Narrowing>()
  for (const { action, unsuitable, reason } of offers) {
    const suitable = count - unsuitable
    if (reason === undefined || suitable <= 0) continue
    const statuses = statusesFor(action)
    // One set of statuses contains the other, so equal counts mean the same devices.
    if (statuses.length < (narrowings.get(suitable)?.statuses.length ?? Infinity))
      narrowings.set(suitable, { statuses, suitable, reason })
  }
  return [...narrowings.values()]
}
