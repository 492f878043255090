import { IconFlame } from '../../icons/index.ts'
import { useQuery } from '@tanstack/react-query'
import type { Device } from '@caretaker/contract/devices.ts'
import { pressingStates } from '@caretaker/rules/compliance/due.ts'
import { lockoutDays, openFaults } from '@caretaker/rules/faults/faults.ts'
import { useActor } from '../../api/actor.ts'
import { countOf, DevicePage, useDevice } from '../../device-page/device-page.tsx'
import { Debug, History, Maintenance, Messages, Telemetry } from '../../device-page/tabs.ts'
import { BoilerAlarm } from './boiler-alarm.tsx'
import { faultsQuery } from './queries.ts'
import { lazily } from '../../ui/lazily.tsx'

const Info = lazily(async () => (await import('./boiler-info.tsx')).BoilerInfo)
// The default tab, prefetched when a link to the page is hovered.
Info.fetch()
const FaultHistory = lazily(async () => (await import('./fault-history.tsx')).FaultHistory)
const Compliance = lazily(async () => (await import('./compliance/compliance.tsx')).Compliance)
const ConnectedDevices = lazily(async () => (await import('./connected-devices.tsx')).ConnectedDevices)

/** The number of checks that are overdue or due soon. */
function pressing({ gasSafety, waterTreatment }: Device) {
  const states = [gasSafety, waterTreatment].flatMap((one) => one?.state ?? [])
  const count = states.filter((state) => pressingStates.some((one) => one === state)).length
  if (count === 0) return undefined
  return { count, worry: states.some((state) => state === 'Overdue' || state === 'Failed') || ('near' as const) }
}

/** A boiler, heat pump or surveyor cube: faults, settings, due checks and readings. */
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
        compliance: { component: Compliance, count: pressing },
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
