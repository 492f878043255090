import { useState } from 'react'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { IconThermometer } from '../../../icons/index.ts'
import type { Property } from '@caretaker/contract/properties.ts'
import { familyOf } from '@caretaker/rules/devices/products.ts'
import { useActor } from '../../../api/actor.ts'
import { LeaveQuestion } from '../../../ui/leave-question.tsx'
import { Empty, Failed, Loading, LoadingLines } from '../../../ui/states.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { Panel, Panels } from '../panel.tsx'
import { propertyAirQuery, propertyDevicesQuery } from '../queries.ts'
import { measuredOn } from './measured.ts'
import { PhoneScheduler } from './phone-scheduler.tsx'
import { Scheduler } from './scheduler.tsx'
import { useWeek } from './use-week.ts'

const noThermostat =
  'Thermostat-Scheduler only available with our V-Stat or HomeHub devices - Contact our Commercial team for more information'

/** The weeks of heating and hot water, for a home that has a V-Stat. */
export function ThermoScheduler({ property }: { property: Property }) {
  const { tenant } = useActor()
  const { data, isError, refetch } = useQuery(propertyDevicesQuery(tenant, property.propertyId))
  const { data: air } = useQuery(propertyAirQuery(tenant, property.propertyId))
  const zone = useZone()
  // Whatever form the page takes when a phone is turned, the weeks stay.
  const heating = useWeek()
  const hotWater = useWeek()
  const [chosen, setChosen] = useState('Heating')
  const isPhone = useMediaQuery('(width < 48em)', false, { getInitialValueInEffect: false })
  if (!data)
    return isError ? (
      <Failed onRetry={() => void refetch()} />
    ) : (
      <Loading label="Loading the Thermo-Scheduler">
        <LoadingLines lines={7} />
      </Loading>
    )
  const thermostats = new Set(
    data.filter(({ product }) => familyOf(product) === 'vStat').map(({ deviceId }) => deviceId),
  )
  if (!thermostats.size)
    return (
      <Panel title="Thermo-Scheduler">
        <Empty icon={<IconThermometer size={18} aria-hidden />} text={noThermostat} />
      </Panel>
    )
  const schedulers = [
    {
      title: 'Heating',
      edited: heating,
      measured: air && measuredOn(heating.day, air.temperature, { now: air.to, zone, thermostats }),
    },
    { title: 'Domestic Hot Water', edited: hotWater, measured: undefined },
  ]
  return (
    <>
      {isPhone ? (
        <PhoneScheduler
          {...(schedulers.find(({ title }) => title === chosen) ?? schedulers[0]!)}
          titles={schedulers.map(({ title }) => title)}
          onTitle={setChosen}
        />
      ) : (
        <Panels>
          {schedulers.map((one) => (
            <Scheduler key={one.title} {...one} />
          ))}
        </Panels>
      )}
      <LeaveQuestion isUnsaved={heating.isEdited || hotWater.isEdited} />
    </>
  )
}
