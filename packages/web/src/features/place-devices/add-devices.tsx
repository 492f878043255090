import { useRef, useState } from 'react'
import { Button, Checkbox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { OfferedDevice } from '@caretaker/contract/devices.ts'
import { updateDeviceBuildingLocation } from '@caretaker/contract/devices.ts'
import { displayGroup, statusText } from '@caretaker/rules/devices/status.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { nameOf } from '../../plans/device-look.tsx'
import { devicesWithoutFloorQuery, floorDevicesQuery } from '../../plans/queries.ts'
import { Empty, Failed } from '../../ui/states.tsx'
import { StatusIcon, toneOfGroup } from '../../ui/status-icon.tsx'
import { showError, showSuccess } from '../../ui/toasts.tsx'
import classes from './place-devices.module.css'

/** Milliseconds after the last letter until it is looked for. */
const findDelay = 250
/** Calls at a time: more would wait for one another all the same. */
const atOnce = 4

interface AddDevicesProps {
  building: string
  floor: string
  /** What is looked for. */
  find: string
  /** Before those that were put here are listed anew. */
  onPut: () => void
}

/** Rows that are shown at first, and each time somebody wants more; the server gives so many at most. */
const step = 100
const mostShown = 1000

const counted = (count: number) => `${count.toLocaleString('en-GB')} ${count === 1 ? 'device' : 'devices'}`

/** What it is, as far as its name does not say so, how it is, and its room. */
const tellingApart = ({ deviceType, deviceName, deviceStatus, room }: OfferedDevice) =>
  [deviceName !== deviceType && deviceType, statusText(deviceStatus), room].filter(Boolean).join(', ')

/** Devices that hang on no floor yet, which are put on this one: many at once. */
export function AddDevices({ building, floor, find, onPut }: AddDevicesProps) {
  const { tenant } = useActor()
  const client = useQueryClient()
  const [settledFind] = useDebouncedValue(find.trim(), findDelay)
  const [most, setMost] = useState(step)
  const { data, isError, isFetching, refetch } = useQuery(devicesWithoutFloorQuery(tenant, building, settledFind, most))
  const [lastPut, setLastPut] = useState<readonly OfferedDevice[]>([])
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  /** From which one Shift ticks or unticks on. */
  const lastTicked = useRef<string>(undefined)
  const [isSending, setSending] = useState(false)
  const all = data?.devices ?? []
  const chosen = all.filter(({ deviceId }) => ticked.has(deviceId))

  /** Gives those that could not be moved. */
  const move = async (
    devices: readonly OfferedDevice[],
    to: (device: OfferedDevice) => object,
    onMoved?: () => void,
  ): Promise<OfferedDevice[]> => {
    setSending(true)
    const waiting = [...devices]
    const left: OfferedDevice[] = []
    const work = async () => {
      for (let device = waiting.shift(); device; device = waiting.shift()) {
        const one = device
        const body = { tenant, deviceId: one.deviceId, ...to(one) }
        await call(updateDeviceBuildingLocation, { body }).catch(() => left.push(one))
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    if (left.length < devices.length) onMoved?.()
    await client.invalidateQueries({ queryKey: floorDevicesQuery(tenant, building, floor).queryKey })
    await client.invalidateQueries({ queryKey: devicesWithoutFloorQuery(tenant, building, '', 0).queryKey.slice(0, 3) })
    setSending(false)
    return left
  }
  /** The one that is pressed, with Shift also those between it and the one before. */
  const upTo = (id: string, pressed: Event): string[] => {
    const isRange = pressed instanceof MouseEvent && pressed.shiftKey
    const [from, to] = [isRange ? lastTicked.current : id, id]
      .map((one) => all.findIndex(({ deviceId }) => deviceId === one))
      .toSorted((one, other) => one - other)
    return from === -1 ? [id] : all.slice(from, to! + 1).map(({ deviceId }) => deviceId)
  }
  const put = async () => {
    const left = await move(chosen, () => ({ buildingId: building, floorId: floor }), onPut)
    const done = chosen.filter((device) => !left.includes(device))
    setTicked(new Set(left.map(({ deviceId }) => deviceId)))
    setLastPut(done)
    if (left.length) showError(`${counted(left.length)} could not be put on this floor`)
    else showSuccess(`${counted(done.length)} put on this floor`)
  }
  const undo = async () => {
    // Who was in no building leaves this one, and the floor with it.
    const left = await move(lastPut, ({ buildingId }) => (buildingId === null ? { buildingId } : { floorId: null }))
    setLastPut(left)
    if (left.length) showError(`${counted(left.length)} could not be taken off this floor`)
    else showSuccess(`${counted(lastPut.length)} taken off this floor`)
  }

  return (
    <section aria-label="On no floor yet">
      <div className={classes.sectionHead}>
        {all.length > 0 && (
          <Checkbox
            aria-label="Select all on no floor"
            checked={chosen.length === all.length}
            indeterminate={chosen.length > 0 && chosen.length < all.length}
            onChange={(event) =>
              setTicked(event.currentTarget.checked ? new Set(all.map(({ deviceId }) => deviceId)) : new Set())
            }
          />
        )}
        <h2>On no floor yet</h2>
        {chosen.length > 0 && (
          <Button size="compact-sm" loading={isSending} onClick={() => void put()}>
            Put {chosen.length} here
          </Button>
        )}
        {chosen.length === 0 && lastPut.length > 0 && (
          <Button size="compact-sm" variant="default" loading={isSending} onClick={() => void undo()}>
            Undo putting {lastPut.length} here
          </Button>
        )}
      </div>
      {isError && !data && <Failed onRetry={() => void refetch()} />}
      {data && all.length === 0 && (
        <Empty
          text={settledFind ? 'No such device is without a floor' : 'Every device has its floor'}
          hint="Those of a home or of another building are moved on their own page."
        />
      )}
      <ul>
        {all.map((device) => (
          <li key={device.deviceId} className={classes.row}>
            <Checkbox
              aria-label={`Select ${nameOf(device)}`}
              checked={ticked.has(device.deviceId)}
              onChange={(event) => {
                const isOn = event.currentTarget.checked
                const next = new Set(ticked)
                for (const id of upTo(device.deviceId, event.nativeEvent))
                  if (isOn) next.add(id)
                  else next.delete(id)
                setTicked(next)
                lastTicked.current = device.deviceId
              }}
            />
            <StatusIcon tone={toneOfGroup[displayGroup(device.deviceStatus) ?? 'NotInstalled']} size={18} />
            <span className={classes.name}>
              <b>{nameOf(device)}</b>
              <span>{tellingApart(device)}</span>
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
            'Write more to find the others.'
          )}
        </p>
      )}
    </section>
  )
}
