import { lazy } from 'react'
import { IconFlame } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { lockoutDays, openFaults } from '@caretaker/rules/faults/faults.ts'
import { useActor } from '../../api/actor.ts'
import { countOf, DevicePage, useDevice } from '../../device-page/device-page.tsx'
import { Debug, History, Maintenance, Messages, Telemetry } from '../../device-page/tabs.ts'
import { BoilerAlarm } from './boiler-alarm.tsx'
import { faultsQuery } from './queries.ts'

const Info = lazy(async () => ({ default: (await import('./boiler-info.tsx')).BoilerInfo }))
const FaultHistory = lazy(async () => ({ default: (await import('./fault-history.tsx')).FaultHistory }))
const Compliance = lazy(async () => ({ default: (await import('./compliance/compliance.tsx')).Compliance }))
const ConnectedDevices = lazy(async () => ({ default: (await import('./connected-devices.tsx')).ConnectedDevices }))

/** A boiler, a heat pump or a surveyor cube: why it failed, how it is set, what is due, and what it measures. */
export function BoilerPage() {
  const { tenant } = useActor()
  const deviceId = useDevice('Boilers')?.deviceId
  const { data: faults } = useQuery({
    ...faultsQuery(tenant, deviceId ?? '', lockoutDays),
    enabled: deviceId !== undefined,
  })
  return (
    <DevicePage
      listing="Boilers"
      icon={<IconFlame size={22} stroke={1.7} />}
      tabs={{
        info: { component: Info },
        faultHistory: { component: FaultHistory, count: () => countOf(openFaults(faults ?? []).length, true) },
        history: { component: History },
        maintenance: { component: Maintenance },
        telemetry: { component: Telemetry },
        compliance: { component: Compliance },
        connectedDevices: {
          component: ConnectedDevices,
          count: ({ connectedDevices }) => countOf(connectedDevices.length),
        },
        debug: { component: Debug },
        messages: { component: Messages },
      }}
      alarm={BoilerAlarm}
    />
  )
}
