import { useRef, useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import type { FloorDevice } from '@caretaker/contract/devices.ts'
import { updateDeviceGeoLocation } from '@caretaker/contract/devices.ts'
import { CallError } from '@caretaker/contract/error-texts.ts'
import type { Place } from '@caretaker/rules/maps/mercator.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { floorDevicesQuery } from '../../plans/queries.ts'
import { showError, showSuccess } from '../../ui/toasts.tsx'

interface Drop {
  device: FloorDevice
  /** Undefined takes it off the map. */
  to: Place | undefined
}

const placed = (device: FloorDevice, to: Place | undefined): FloorDevice => ({
  ...device,
  lat: to?.lat ?? null,
  long: to?.lng ?? null,
})

/** Millimetres: no more is meant by a drop. */
const rounded = ({ lat, lng }: Place): Place => ({ lat: Number(lat.toFixed(8)), lng: Number(lng.toFixed(8)) })

/** Says where devices are, each with a call of its own, at once; one that is refused goes back to where it was. */
export function usePlacing(building: string, floor: string) {
  const { tenant } = useActor()
  const client = useQueryClient()
  const { queryKey } = floorDevicesQuery(tenant, building, floor)
  const turn = useRef<Promise<unknown>>(Promise.resolve())
  const undone = useRef(new WeakSet<readonly Drop[]>())
  const [done, setDone] = useState<readonly (readonly Drop[])[]>([])

  const show = (devices: readonly FloorDevice[]) => {
    const shown = new Map(devices.map((device) => [device.deviceId, device]))
    client.setQueryData(queryKey, (all) => all?.map((device) => shown.get(device.deviceId) ?? device))
  }
  const send = async ({ device, to }: Drop) => {
    const { deviceId, lat, long } = device
    const body = { tenant, deviceId, latitude: to?.lat ?? null, longitude: to?.lng ?? null }
    await call(updateDeviceGeoLocation, { body: { ...body, seen: { floor, latitude: lat, longitude: long } } })
  }
  const sendAll = async (drops: readonly Drop[]) => {
    const outcomes: { drop: Drop; error?: unknown }[] = []
    // A few at a time: thirty at once would wait for one another all the same.
    const waiting = [...drops]
    const work = async () => {
      for (let drop = waiting.shift(); drop; drop = waiting.shift()) {
        const one = drop
        const outcome = await send(one).then(
          () => ({ drop: one }),
          (error: unknown) => ({ drop: one, error }),
        )
        outcomes.push(outcome)
      }
    }
    await Promise.all(Array.from({ length: Math.min(4, drops.length) }, work))
    return outcomes
  }
  /** What was placed; what was not is where it was, and has been told. */
  const move = async (drops: readonly Drop[]): Promise<Drop[]> => {
    await client.cancelQueries({ queryKey })
    show(drops.map(({ device, to }) => placed(device, to)))
    // After what was dropped before: a device that is moved again has been seen where the call before leaves it.
    const sent = turn.current.then(() => sendAll(drops))
    turn.current = sent
    const outcomes = await sent
    const refused = outcomes.filter(({ error }) => error !== undefined)
    if (refused.length) {
      show(refused.map(({ drop }) => drop.device))
      const overtaken = refused.some(({ error }) => error instanceof CallError && error.status === 409)
      showError(
        [
          'There was an error updating device geo location',
          overtaken && 'Somebody else has moved this device meanwhile.',
        ]
          .filter(Boolean)
          .join('. '),
      )
    }
    // What was dropped or undone meanwhile is shown already, and not stored yet.
    if (turn.current === sent) void client.invalidateQueries({ queryKey })
    return outcomes.flatMap(({ drop, error }) => (error === undefined ? drop : []))
  }

  const undo = async (drops: readonly Drop[]) => {
    // By the keys, and by the toast that came meanwhile.
    if (undone.current.has(drops)) return
    undone.current.add(drops)
    setDone((all) => all.filter((one) => one !== drops))
    await move(
      drops.map(({ device, to }) => ({
        device: placed(device, to),
        to: device.lat === null || device.long === null ? undefined : { lat: device.lat, lng: device.long },
      })),
    )
  }
  const drop = async (wanted: readonly { device: FloorDevice; to: Place }[]) => {
    const wished = wanted.map(({ device, to }) => ({ device, to: rounded(to) }))
    // At once: what undoes the last drop while this one is on its way does not mean the one before.
    setDone((all) => [...all.slice(-49), wished])
    const moved = await move(wished)
    const drops = moved.length === wished.length ? wished : moved
    setDone((all) => all.flatMap((one) => (one !== wished ? [one] : drops.length ? [drops] : [])))
    if (!drops.length) return
    showSuccess('Device geo location updated successfully', { label: 'Undo', onPress: () => void undo(drops) })
  }
  const last = done.at(-1)
  return { drop, undoLast: last && (() => void undo(last)) }
}
