import { useMemo } from 'react'
import type { Device } from '@caretaker/contract/devices.ts'
import { useActor } from '../api/actor.ts'
import { Telemetry } from '../telemetry/telemetry.tsx'
import { deviceSource } from './telemetry-source.ts'

/** The readings and events of the device and its property. */
export function DeviceTelemetry({ device: { deviceId, serialNumber } }: { device: Device }) {
  const { tenant } = useActor()
  const source = useMemo(() => deviceSource(tenant, deviceId, serialNumber), [tenant, deviceId, serialNumber])
  return <Telemetry source={source} />
}
