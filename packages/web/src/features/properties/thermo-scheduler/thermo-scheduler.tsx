import { useState } from 'react'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { IconThermometer } from '../../../icons/index.ts'
import type { Property } from '@caretaker/contract/properties.ts'
import type { SchedulePart } from '@caretaker/rules/properties/schedule.ts'
import { schedulePartWords } from '@caretaker/rules/properties/schedule.ts'
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
import { useThermostats, weekOfThermostats } from './thermostats.tsx'
import { useWeek } from './use-week.ts'

const noThermostat =
  'Thermostat-Scheduler only available with our V-Stat or HomeHub devices - Contact our Commercial team for more information'

/** The heating and hot water weeks of a property with a V-Stat. */
export function ThermoScheduler({ property }: { property: Property }) {
  // Each property has its own drafts.
  return <Weeks key={property.propertyId} property={property} />
}

function Weeks({ property }: { property: Property }) {
  const { tenant } = useActor()
  const { data, isError, refetch } = useQuery(propertyDevicesQuery(tenant, property.propertyId))
  const { data: air } = useQuery(propertyAirQuery(tenant, property.propertyId))
  const zone = useZone()
  // The state is kept above both layouts, so that rotating a phone does not lose it.
  const thermostats = useThermostats((data ?? []).filter(({ product }) => familyOf(product) === 'vStat'))
  const nameOf = (part: SchedulePart) => `schedule ${property.propertyId} ${part}`
  const heating = useWeek(nameOf('heating'), weekOfThermostats(thermostats, 'heating'))
  const hotWater = useWeek(nameOf('hotWater'), weekOfThermostats(thermostats, 'hotWater'))
  const [chosen, setChosen] = useState<string>('Heating')
  const isPhone = useMediaQuery('(width < 48em)', false, { getInitialValueInEffect: false })
  if (!data)
    return isError ? (
      <Failed onRetry={() => void refetch()} />
    ) : (
      <Loading label="Loading the Thermo-Scheduler">
        <LoadingLines lines={7} />
      </Loading>
    )
  if (thermostats.length === 0)
    return (
      <Panel title="Thermo-Scheduler">
        <Empty icon={<IconThermometer size={18} aria-hidden />} text={noThermostat} />
      </Panel>
    )
  const ids = new Set(thermostats.map(({ device }) => device.deviceId))
  const schedulers = [
    {
      ...{ title: schedulePartWords.heating, part: 'heating' as const, edited: heating, thermostats },
      measured: air && measuredOn(heating.day, air.temperature, { now: air.to, zone, thermostats: ids }),
    },
    {
      ...{ title: schedulePartWords.hotWater, part: 'hotWater' as const, edited: hotWater, thermostats },
      measured: undefined,
    },
  ] as const
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
