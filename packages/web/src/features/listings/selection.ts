import { useCallback, useMemo, useState } from 'react'
import type { DeviceRow, SelectedDevice } from '@caretaker/contract/devices.ts'

/** What is selected in a listing: by device, so that it stays over pages, orders and refreshes. */
export interface ListingSelection {
  devices: ReadonlyMap<string, SelectedDevice>
  add(devices: readonly SelectedDevice[]): void
  remove(deviceIds: readonly string[]): void
  clear(): void
}

/** What is selected and pinned in the listings of this tab, for whoever comes back to one. */
const kept = new Map<string, unknown>()

/** A state that outlives its component until the page is loaded anew. */
export function useKept<T>(key: string, initial: T): [T, (next: T) => void] {
  const [value, setValue] = useState(() => (kept.get(key) as T | undefined) ?? initial)
  const keep = useCallback(
    (next: T) => {
      kept.set(key, next)
      setValue(next)
    },
    [key],
  )
  return [value, keep]
}

const nothing: ReadonlyMap<string, SelectedDevice> = new Map()

/** The selection of a listing. */
export function useSelection(key: string): ListingSelection {
  const [devices, setDevices] = useKept(`${key} selected`, nothing)
  return useMemo(
    () => ({
      devices,
      add: (more) => setDevices(new Map([...devices, ...more.map(entryOf)])),
      remove: (ids) => {
        const gone = new Set(ids)
        setDevices(new Map([...devices].filter(([id]) => !gone.has(id))))
      },
      clear: () => setDevices(nothing),
    }),
    [devices, setDevices],
  )
}

/** The selected devices, each as new as its row where it has one on the page. */
export function asNewAs(devices: ReadonlyMap<string, SelectedDevice>, rows: readonly DeviceRow[]): SelectedDevice[] {
  const present = new Map(rows.map((row) => [row.deviceId, row]))
  return [...devices].map(([id, device]) => present.get(id) ?? device)
}

function entryOf(device: SelectedDevice): [string, SelectedDevice] {
  const { deviceId, deviceProductId, deviceStatus, deviceSerial, deviceDisplayName } = device
  return [deviceId, { deviceId, deviceProductId, deviceStatus, deviceSerial, deviceDisplayName }]
}
