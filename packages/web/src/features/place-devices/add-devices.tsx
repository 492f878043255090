import { useState } from 'react'
import { Button, Checkbox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { updateDeviceBuildingLocation } from '@caretaker/contract/devices.ts'
import { displayGroup } from '@caretaker/rules/devices/status.ts'
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
}

const counted = (count: number) => `${count.toLocaleString('en-GB')} ${count === 1 ? 'device' : 'devices'}`

/** Devices that hang on no floor yet, which are put on this one: many at once. */
export function AddDevices({ building, floor, find }: AddDevicesProps) {
  const { tenant } = useActor()
  const client = useQueryClient()
  const [settledFind] = useDebouncedValue(find.trim(), findDelay)
  const { data, isError, refetch } = useQuery(devicesWithoutFloorQuery(tenant, building, settledFind))
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  const [isSending, setSending] = useState(false)
  const all = data ?? []
  const chosen = all.filter(({ deviceId }) => ticked.has(deviceId))

  const put = async () => {
    setSending(true)
    const waiting = [...chosen]
    const left: string[] = []
    const work = async () => {
      for (let device = waiting.shift(); device; device = waiting.shift()) {
        const { deviceId } = device
        const body = { tenant, deviceId, buildingId: building, floorId: floor }
        await call(updateDeviceBuildingLocation, { body }).catch(() => left.push(deviceId))
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    await client.invalidateQueries({ queryKey: floorDevicesQuery(tenant, building, floor).queryKey })
    await refetch()
    setTicked(new Set(left))
    setSending(false)
    if (left.length) showError(`${counted(left.length)} could not be put on this floor`)
    else showSuccess(`${counted(chosen.length)} put on this floor`)
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
      </div>
      {isError && !data && <Failed onRetry={() => void refetch()} />}
      {data?.length === 0 && (
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
                const next = new Set(ticked)
                if (event.currentTarget.checked) next.add(device.deviceId)
                else next.delete(device.deviceId)
                setTicked(next)
              }}
            />
            <StatusIcon tone={toneOfGroup[displayGroup(device.deviceStatus) ?? 'NotInstalled']} size={18} />
            <span className={classes.name}>
              <b>{nameOf(device)}</b>
              <span>{device.room ?? 'On no floor'}</span>
            </span>
            <span className={classes.serial}>{device.serialNumber}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
