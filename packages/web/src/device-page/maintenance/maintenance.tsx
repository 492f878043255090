import type { Device } from '@caretaker/contract/devices.ts'

/** To be built. */
export function Maintenance({ device }: { device: Device }) {
  return <p>{device.serialNumber}</p>
}
