import { lazy } from 'react'
import { IconFlame } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { Boiler } from '@caretaker/contract/boilers.ts'
import { lockoutDays, openFaults } from '@caretaker/rules/faults/faults.ts'
import { useActor } from '../../api/actor.ts'
import { countOf, DevicePage } from '../../device-page/device-page.tsx'
import { Debug, History, Maintenance, Messages, Telemetry } from '../../device-page/tabs.ts'
import { BoilerAlarm } from './boiler-alarm.tsx'
import { faultsQuery } from './queries.ts'

const Info = lazy(async () => ({ default: (await import('./boiler-info.tsx')).BoilerInfo }))
const FaultHistory = lazy(async () => ({ default: (await import('./fault-history.tsx')).FaultHistory }))
const Compliance = lazy(async () => ({ default: (await import('./compliance/compliance.tsx')).Compliance }))
const ConnectedDevices = lazy(async () => ({ default: (await import('./connected-devices.tsx')).ConnectedDevices }))

function useCounts({ deviceId, connectedDevices }: Boiler) {
  const { tenant } = useActor()
  const { data: faults } = useQuery(faultsQuery(tenant, deviceId, lockoutDays))
  return {
    faultHistory: countOf(faults && openFaults(faults).length, true),
    connectedDevices: countOf(connectedDevices.length),
  }
}

/** A boiler, a heat pump or a surveyor cube: why it failed, how it is set, what is due, and what it measures. */
export const BoilerPage = () => (
  <DevicePage
    listing="Boilers"
    icon={<IconFlame size={22} stroke={1.7} />}
    tabs={{
      info: { component: Info },
      faultHistory: { component: FaultHistory },
      history: { component: History },
      maintenance: { component: Maintenance },
      telemetry: { component: Telemetry },
      compliance: { component: Compliance },
      connectedDevices: { component: ConnectedDevices },
      debug: { component: Debug },
      messages: { component: Messages },
    }}
    alarm={BoilerAlarm}
    useCounts={useCounts}
  />
)
