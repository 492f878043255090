import { useRef, useState } from 'react'
import { Button, Checkbox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { OfferedDevice } from '@caretaker/contract/devices.ts'
import { displayGroup, statusText } from '@caretaker/rules/devices/status.ts'
import { useActor } from '../../api/actor.ts'
import { nameOf } from '../../plans/device-look.tsx'
import { devicesWithoutFloorQuery } from '../../plans/queries.ts'
import { Empty, Failed } from '../../ui/states.tsx'
import { StatusIcon, toneOfGroup } from '../../ui/status-icon.tsx'
import { RowHandle } from './row-handle.tsx'
import type { Taken } from './use-placing.ts'
import { takenFromNoFloor } from './use-placing.ts'
import classes from './place-devices.module.css'

/** Milliseconds after the last keystroke before the search starts. */
const findDelay = 250
interface AddDevicesProps {
  building: string
  /** The search text. */
  find: string
  isComing: (deviceId: string) => boolean
  onPut: (devices: readonly Taken[]) => void
  onGrip: (devices: readonly Taken[], event: React.PointerEvent) => void
  /** A press on a row, which becomes a drag after some distance. */
  onPull: (devices: readonly Taken[], event: React.PointerEvent) => void
}

/** Rows per step; the server returns at most this number. */
const step = 100
const mostShown = 1000

/** The type (if the name does not contain it), status and room. */
const descriptionOf = ({ deviceType, deviceName, deviceStatus, room }: OfferedDevice) =>
  [deviceName !== deviceType && deviceType, statusText(deviceStatus), room].filter(Boolean).join(', ')

/** Devices without a floor, which can be added to this floor or dragged onto its plan, several at once. */
export function AddDevices({ building, find, isComing, onPut, onGrip, onPull }: AddDevicesProps) {
  const { tenant } = useActor()
  const [debouncedFind] = useDebouncedValue(find.trim(), findDelay)
  const [most, setMost] = useState(step)
  const { data, isError, isFetching, refetch } = useQuery(
    devicesWithoutFloorQuery(tenant, building, debouncedFind, most),
  )
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  /** The start of a Shift selection. */
  const lastTicked = useRef<string>(undefined)
  const all = (data?.devices ?? []).filter(({ deviceId }) => !isComing(deviceId))
  const chosen = all.filter(({ deviceId }) => ticked.has(deviceId))
  /** The devices taken by a drag: all selected ones, if this one is selected. */
  const takenBy = (device: OfferedDevice) =>
    (ticked.has(device.deviceId) ? chosen : [device]).map((one) => takenFromNoFloor(one))
  /** The clicked row; with Shift, also the rows from the previous click. */
  const upTo = (id: string, pressed: Event): string[] => {
    const isRange = pressed instanceof MouseEvent && pressed.shiftKey
    const [from, to] = [isRange ? lastTicked.current : id, id]
      .map((one) => all.findIndex(({ deviceId }) => deviceId === one))
      .toSorted((one, other) => one - other)
    return from === -1 ? [id] : all.slice(from, to! + 1).map(({ deviceId }) => deviceId)
  }
  return (
    <section aria-label="Not on a floor yet">
      <div className={classes.sectionHead}>
        {all.length > 0 && (
          <Checkbox
            aria-label="Select all without a floor"
            checked={chosen.length === all.length}
            indeterminate={chosen.length > 0 && chosen.length < all.length}
            onChange={(event) =>
              setTicked(event.currentTarget.checked ? new Set(all.map(({ deviceId }) => deviceId)) : new Set())
            }
          />
        )}
        <h2>Not on a floor yet</h2>
        {chosen.length > 0 && (
          <Button
            size="compact-sm"
            onClick={() => {
              onPut(chosen.map((one) => takenFromNoFloor(one)))
              setTicked(new Set([...ticked].filter((id) => !chosen.some(({ deviceId }) => deviceId === id))))
            }}
          >
            Put {chosen.length} here
          </Button>
        )}
      </div>
      {isError && !data && <Failed onRetry={() => void refetch()} />}
      {data && all.length === 0 && (
        <Empty
          text={debouncedFind ? 'No matching devices without a floor' : 'All devices are on a floor'}
          hint="Devices of a property or of another building are moved on their own page."
        />
      )}
      <ul>
        {all.map((device) => (
          <li key={device.deviceId} className={classes.row}>
            <RowHandle
              name={nameOf(device)}
              isTicked={ticked.has(device.deviceId)}
              onTick={(isOn, pressed) => {
                const next = new Set(ticked)
                for (const id of upTo(device.deviceId, pressed))
                  if (isOn) next.add(id)
                  else next.delete(id)
                setTicked(next)
                lastTicked.current = device.deviceId
              }}
              onGrip={(event) => onGrip(takenBy(device), event)}
            />
            <span className={classes.pulled} onPointerDown={(event) => onPull(takenBy(device), event)}>
              <StatusIcon tone={toneOfGroup[displayGroup(device.deviceStatus) ?? 'NotInstalled']} size={18} />
              <span className={classes.name}>
                <b>{nameOf(device)}</b>
                <span>{descriptionOf(device)}</span>
              </span>
            </span>
            <span className={classes.serial}>{device.serialNumber}</span>
          </li>
        ))}
      </ul>
      {data?.hasMore && (
        <p className={classes.more}>
          {all.length.toLocaleString('en-GB')} are listed.{' '}
          {most < mostShown ? (
            <Button
              size="compact-sm"
              variant="subtle"
              loading={isFetching}
              onClick={() => setMost(Math.min(mostShown, most < 5 * step ? most + step : most * 2))}
            >
              Show more
            </Button>
          ) : (
            'Type more to narrow the results.'
          )}
        </p>
      )}
    </section>
  )
}
