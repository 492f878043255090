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

/** A device to be placed. */
export interface Taken {
  device: FloorDevice
  /** The device is added to this floor or removed from it, and keeps its building, if any. */
  hangs?: { on: boolean; buildingId: string | null }
}

interface Drop extends Taken {
  /** Undefined removes it from the map. */
  to: Place | undefined
  /** An automatic position that needs confirmation. */
  isRough?: boolean
  /** The move that this one undoes. */
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

/** Rounded to millimetres. */
const rounded = ({ lat, lng }: Place): Place => ({ lat: Number(lat.toFixed(8)), lng: Number(lng.toFixed(8)) })

export const counted = (count: number) => `${count.toLocaleString('en-GB')} ${count === 1 ? 'device' : 'devices'}`

const isMoved = ({ device, to, isRough = false }: Drop) =>
  placeOf(device)?.lat !== to?.lat || placeOf(device)?.lng !== to?.lng || device.isRoughlyPlaced !== isRough

/** Whether devices were only added to the floor, without a place on its plan. */
const isPutting = (drops: readonly Drop[]) => !drops.some(isMoved)

function withDrops(devices: readonly FloorDevice[], drops: readonly Drop[]): readonly FloorDevice[] {
  if (!drops.length) return devices
  const known = new Map(devices.map((device) => [device.deviceId, device]))
  for (const { device, to, isRough, hangs } of drops)
    if (hangs?.on === false) known.delete(device.deviceId)
    else known.set(device.deviceId, placed(known.get(device.deviceId) ?? device, to, isRough))
  return [...known.values()]
}

/** The pending moves: a stored move also removes earlier moves of the same device. */
function withoutStored(onWay: readonly Drop[], stored: readonly Drop[]): readonly Drop[] {
  const known = new Set(stored)
  const last = new Map(onWay.flatMap((drop, at) => (known.has(drop) ? [[drop.device.deviceId, at] as const] : [])))
  return onWay.filter(({ device }, at) => at > (last.get(device.deviceId) ?? -1))
}

/** Saves the places of devices, one call each, at once; a rejected device returns to its old place. */
export function usePlacing(building: string, floor: string) {
  const { tenant } = useActor()
  const client = useQueryClient()
  const { queryKey } = floorDevicesQuery(tenant, building, floor)
  const offered = devicesWithoutFloorQuery(tenant, building, '', 0).queryKey.slice(0, 3)
  const turn = useRef<Promise<unknown>>(Promise.resolve())
  const undone = useRef(new WeakSet<readonly Drop[]>())
  const unplaced = useRef(new WeakSet<Drop>())
  const [done, setDone] = useState<readonly (readonly Drop[])[]>([])
  /** Pending moves, latest last: shown as if stored, whatever the server sends in the meantime. */
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
      // A device without a building also leaves this building with the floor.
      const body = { tenant, deviceId, ...(hangs.buildingId === null ? { buildingId: null } : { floorId: null }) }
      await call(updateDeviceBuildingLocation, { body })
    }
  }
  const sendAll = async (drops: readonly Drop[]) => {
    const outcomes: { drop: Drop; error?: unknown }[] = []
    // A rejected move needs no undo.
    const waiting = drops.filter(({ undoes }) => !undoes || !unplaced.current.has(undoes))
    // A few at a time: more parallel calls would only queue.
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
  /** Returns the stored moves; rejected ones are reverted and reported. */
  const move = async (drops: readonly Drop[]): Promise<Drop[]> => {
    setOnWay((all) => [...all, ...drops])
    // After earlier moves, because a device moved twice expects the version left by the first call.
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
    // Undo can come from the keyboard and from the toast; the second is ignored.
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
  /** One undo step for any number of devices. */
  const step = async (wished: readonly Drop[]) => {
    // Recorded at once, so that an undo while this move is pending does not undo the one before.
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
    /** The devices of the floor with pending moves applied. */
    shown: (devices: readonly FloorDevice[]) => withDrops(devices, onWay),
    /** Whether a device without a floor is being added to this floor, even if it was moved since. */
    isComing: (deviceId: string) =>
      onWay.findLast(({ device, hangs }) => hangs && device.deviceId === deviceId)?.hangs?.on === true,
    drop: (wanted: readonly (Taken & { to: Place; isRough?: boolean })[]) =>
      step(wanted.map((one) => ({ ...one, to: rounded(one.to) }))),
    /** Confirms the arranged places of devices. */
    confirm: (devices: readonly FloorDevice[]) => step(devices.map((device) => ({ device, to: placeOf(device) }))),
    /** Adds devices to the floor, without a place on its plan. */
    put: (taken: readonly Taken[]) =>
      step(taken.map((one) => ({ ...one, to: placeOf(one.device), isRough: one.device.isRoughlyPlaced }))),
    last: last && {
      undo: () => void undo(last),
      words: isPutting(last) ? `Undo placing ${last.length} here` : 'Undo the last move',
    },
  }
}
