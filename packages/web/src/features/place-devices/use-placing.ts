import { useRef, useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import type { FloorDevice, OfferedDevice } from '@caretaker/contract/devices.ts'
import { updateDeviceBuildingLocation, updateDeviceGeoLocation } from '@caretaker/contract/calls/devices.ts'
import { CallError } from '@caretaker/contract/error-texts.ts'
import type { Place } from '@caretaker/rules/maps/mercator.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { devicesWithoutFloorQuery, floorDevicesQuery } from '../../plans/queries.ts'
import { showError, showSuccess } from '../../ui/toasts.tsx'

/** A device that is about to be placed. */
export interface Taken {
  device: FloorDevice
  /** It comes to this floor from none, or goes back there, and to the building that it is in all the same, if any. */
  hangs?: { on: boolean; buildingId: string | null }
}

interface Drop extends Taken {
  /** Undefined takes it off the map. */
  to: Place | undefined
  /** It is only laid out, and to be confirmed. */
  isRough?: boolean
  /** The drop that it takes back. */
  undoes?: Drop
}

export const takenFromNoFloor = ({ buildingId, ...device }: OfferedDevice): Taken => ({
  device,
  hangs: { on: true, buildingId },
})

export const placeOf = ({ lat, long }: FloorDevice): Place | undefined =>
  lat === null || long === null ? undefined : { lat, lng: long }

const placed = (device: FloorDevice, to: Place | undefined, isRough = false): FloorDevice => ({
  ...device,
  isRoughlyPlaced: isRough,
  lat: to?.lat ?? null,
  long: to?.lng ?? null,
})

/** Millimetres: no more is meant by a drop. */
const rounded = ({ lat, lng }: Place): Place => ({ lat: Number(lat.toFixed(8)), lng: Number(lng.toFixed(8)) })

export const counted = (count: number) => `${count.toLocaleString('en-GB')} ${count === 1 ? 'device' : 'devices'}`

const isMoved = ({ device, to, isRough = false }: Drop) =>
  placeOf(device)?.lat !== to?.lat || placeOf(device)?.lng !== to?.lng || device.isRoughlyPlaced !== isRough

/** Whether devices only came to the floor, and to no place on its plan. */
const isPutting = (drops: readonly Drop[]) => !drops.some(isMoved)

function withDrops(devices: readonly FloorDevice[], drops: readonly Drop[]): readonly FloorDevice[] {
  if (!drops.length) return devices
  const known = new Map(devices.map((device) => [device.deviceId, device]))
  for (const { device, to, isRough, hangs } of drops)
    if (hangs?.on === false) known.delete(device.deviceId)
    else known.set(device.deviceId, placed(known.get(device.deviceId) ?? device, to, isRough))
  return [...known.values()]
}

/** What is on its way still: with a drop that is stored goes whatever was dropped before of the same device. */
function withoutStored(onWay: readonly Drop[], stored: readonly Drop[]): readonly Drop[] {
  const known = new Set(stored)
  const last = new Map(onWay.flatMap((drop, at) => (known.has(drop) ? [[drop.device.deviceId, at] as const] : [])))
  return onWay.filter(({ device }, at) => at > (last.get(device.deviceId) ?? -1))
}

/** Says where devices are, each with calls of its own, at once; one that is refused goes back to where it was. */
export function usePlacing(building: string, floor: string) {
  const { tenant } = useActor()
  const client = useQueryClient()
  const { queryKey } = floorDevicesQuery(tenant, building, floor)
  const offered = devicesWithoutFloorQuery(tenant, building, '', 0).queryKey.slice(0, 3)
  const turn = useRef<Promise<unknown>>(Promise.resolve())
  const undone = useRef(new WeakSet<readonly Drop[]>())
  const unplaced = useRef(new WeakSet<Drop>())
  const [done, setDone] = useState<readonly (readonly Drop[])[]>([])
  /** What is on its way, the latest last: it is shown as if it were there, whatever the server tells meanwhile. */
  const [onWay, setOnWay] = useState<readonly Drop[]>([])

  const send = async (drop: Drop) => {
    const { device, to, isRough, hangs } = drop
    const { deviceId, lat, long } = device
    if (hangs?.on)
      await call(updateDeviceBuildingLocation, { body: { tenant, deviceId, buildingId: building, floorId: floor } })
    if (isMoved(drop)) {
      const body = {
        ...{ tenant, deviceId, latitude: to?.lat ?? null, longitude: to?.lng ?? null },
        ...(isRough && { isRough }),
      }
      await call(updateDeviceGeoLocation, { body: { ...body, seen: { floor, latitude: lat, longitude: long } } })
    }
    if (hangs && !hangs.on) {
      // Who was in no building leaves this one, and the floor with it.
      const body = { tenant, deviceId, ...(hangs.buildingId === null ? { buildingId: null } : { floorId: null }) }
      await call(updateDeviceBuildingLocation, { body })
    }
  }
  const sendAll = async (drops: readonly Drop[]) => {
    const outcomes: { drop: Drop; error?: unknown }[] = []
    // Of what was refused there is nothing to take back.
    const waiting = drops.filter(({ undoes }) => !undoes || !unplaced.current.has(undoes))
    // A few at a time: thirty at once would wait for one another all the same.
    const work = async () => {
      for (let drop = waiting.shift(); drop; drop = waiting.shift()) {
        const one = drop
        const outcome = await send(one).then(
          () => ({ drop: one }),
          (error: unknown) => {
            unplaced.current.add(one)
            return { drop: one, error }
          },
        )
        outcomes.push(outcome)
      }
    }
    await Promise.all(Array.from({ length: Math.min(4, drops.length) }, work))
    return outcomes
  }
  /** What was placed; what was not is where it was, and has been told. */
  const move = async (drops: readonly Drop[]): Promise<Drop[]> => {
    setOnWay((all) => [...all, ...drops])
    // After what was dropped before: a device that is moved again has been seen where the call before leaves it.
    const sent = turn.current.then(() => sendAll(drops))
    turn.current = sent
    const outcomes = await sent
    const refused = outcomes.filter(({ error }) => error !== undefined)
    if (refused.length) {
      const gone = new Set(refused.map(({ drop }) => drop))
      setOnWay((all) => all.filter((drop) => !gone.has(drop)))
      const overtaken = refused.some(({ error }) => error instanceof CallError && error.status === 409)
      const [first] = drops
      const text = !isPutting(drops)
        ? 'There was an error updating device geo location'
        : `${counted(refused.length)} could not be ${first?.hangs?.on ? 'put on' : 'taken off'} this floor`
      showError([text, overtaken && 'Someone else has moved this device in the meantime.'].filter(Boolean).join('. '))
    }
    const hung = drops.some(({ hangs }) => hangs)
    void Promise.all([
      client.invalidateQueries({ queryKey }),
      hung && client.invalidateQueries({ queryKey: offered }),
    ]).then(() => setOnWay((all) => withoutStored(all, drops)))
    return outcomes.flatMap(({ drop, error }) => (error === undefined ? drop : []))
  }

  const undo = async (drops: readonly Drop[]) => {
    // By the keys, and by the toast that came meanwhile.
    if (undone.current.has(drops)) return
    undone.current.add(drops)
    setDone((all) => all.filter((one) => one !== drops))
    const back = await move(
      drops.map((undoes) => ({
        ...{ device: placed(undoes.device, undoes.to, undoes.isRough), to: placeOf(undoes.device), undoes },
        isRough: undoes.device.isRoughlyPlaced,
        ...(undoes.hangs && { hangs: { ...undoes.hangs, on: false } }),
      })),
    )
    if (isPutting(drops) && back.length) showSuccess(`${counted(back.length)} taken off this floor`)
  }
  /** One step, however many devices it moves. */
  const step = async (wished: readonly Drop[]) => {
    // At once: what undoes the last drop while this one is on its way does not mean the one before.
    setDone((all) => [...all.slice(-49), wished])
    const moved = await move(wished)
    const drops = moved.length === wished.length ? wished : moved
    setDone((all) => all.flatMap((one) => (one !== wished ? [one] : drops.length ? [drops] : [])))
    if (!drops.length || undone.current.has(wished)) return
    const text = isPutting(drops)
      ? `${counted(drops.length)} put on this floor`
      : 'Device geo location updated successfully'
    showSuccess(text, { label: 'Undo', onPress: () => void undo(drops) })
  }
  const last = done.at(-1)
  return {
    /** The devices of the floor with what is on its way. */
    shown: (devices: readonly FloorDevice[]) => withDrops(devices, onWay),
    /** Whether a device is on its way to the floor from none, wherever it was moved on that meanwhile. */
    isComing: (deviceId: string) =>
      onWay.findLast(({ device, hangs }) => hangs && device.deviceId === deviceId)?.hangs?.on === true,
    drop: (wanted: readonly (Taken & { to: Place; isRough?: boolean })[]) =>
      step(wanted.map((one) => ({ ...one, to: rounded(one.to) }))),
    /** Says that devices hang where they were laid out. */
    confirm: (devices: readonly FloorDevice[]) => step(devices.map((device) => ({ device, to: placeOf(device) }))),
    /** To the floor, and to no place on its plan. */
    put: (taken: readonly Taken[]) =>
      step(taken.map((one) => ({ ...one, to: placeOf(one.device), isRough: one.device.isRoughlyPlaced }))),
    last: last && {
      undo: () => void undo(last),
      words: isPutting(last) ? `Undo putting ${last.length} here` : 'Undo the last move',
    },
  }
}
