import { useQuery } from '@tanstack/react-query'
import type { Boiler } from '@caretaker/contract/boilers.ts'
import { familyOf } from '@caretaker/rules/devices/products.ts'
import { useActor } from '../../api/actor.ts'
import { InfoColumns } from '../../device-page/info-columns.tsx'
import { RejectedNotice } from '../../device-page/rejected-messages.tsx'
import { BoilerFacts, ControllerFacts } from './boiler-facts.tsx'
import { BoilerLocation } from './boiler-location.tsx'
import { ComplianceCard } from './compliance/compliance-card.tsx'
import { ConnectedSummary } from './connected-summary.tsx'
import { Electricity } from './electricity.tsx'
import { HeatSaviour } from '../../heating/heat-saviour.tsx'
import { HeatingSettings } from './heating-settings.tsx'
import { liveSources, signalIn } from './live-values.ts'
import { liveQuery } from './queries.ts'
import { RightNow } from './right-now.tsx'
import classes from './boilers.module.css'

const heating: readonly string[] = ['boiler', 'airSourceHeatPump', 'heatInterfaceUnit']

/** The settings, identity and place of the heating, beside its current values. */
export function BoilerInfo({ device }: { device: Boiler }) {
  const { tenant } = useActor()
  const { data } = useQuery(liveQuery(tenant, device.deviceId, liveSources(device)))
  // A surveyor cube monitors a property but no heating source.
  const heats = heating.includes(familyOf(device.productId)) && device.monitoring !== 'None'
  return (
    <InfoColumns
      device={device}
      sideFirst
      side={
        <>
          {heats && <RightNow device={device} />}
          {device.powerSwitch && <HeatSaviour device={device} powerSwitch={device.powerSwitch} />}
          <ComplianceCard device={device} />
          <ConnectedSummary device={device} />
        </>
      }
    >
      <div className={classes.cards}>
        <RejectedNotice device={device} />
        <HeatingSettings device={device} />
        {heats && device.heatingUnit === 'air source heat pump' && <Electricity device={device} />}
        <div className={classes.pair}>
          {heats && <BoilerFacts device={device} />}
          <ControllerFacts device={device} signal={signalIn(data?.devices ?? [], device.deviceId)} />
        </div>
        <BoilerLocation device={device} />
      </div>
    </InfoColumns>
  )
}
