import { useQuery } from '@tanstack/react-query'
import type { Emered } from '@caretaker/contract/devices.ts'
import type { ScheduleEntry } from '@caretaker/contract/groups.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { useActor } from '../../api/actor.ts'
import { Card } from '../../ui/card.tsx'
import { InlineField, InlineFields } from '../../ui/forms/inline-edit.tsx'
import { AppLink } from '../../ui/link.tsx'
import { DateOf } from '../../ui/zone.tsx'
import { GroupLink } from './group-link.tsx'
import { deviceScheduleQuery } from './queries.ts'
import classes from './lighting.module.css'

/** The group of a light and its next tests. */
export function GroupCard({ device }: { device: Emered }) {
  const { tenant } = useActor()
  const { data } = useQuery(deviceScheduleQuery(tenant, device.deviceId))
  if (!data) return undefined
  const { group, next } = data
  const [first] = next
  const long = next.find(({ testType }) => testType === 'T180')
  return (
    <Card
      title="Group"
      actions={
        <AppLink className={classes.more} href={pathTo(tenant, 'EmergencyLights', device.deviceId, 'testSchedules')}>
          Test schedule
        </AppLink>
      }
    >
      <InlineFields>
        <InlineField label="Group">{group && <GroupLink groupName={group.groupName} />}</InlineField>
        <InlineField label="Next test">{first && <Next run={first} withType />}</InlineField>
        <InlineField label="Next T180">{long && <Next run={long} />}</InlineField>
      </InlineFields>
    </Card>
  )
}

function Next({ run: { testType, testDate }, withType = false }: { run: ScheduleEntry; withType?: boolean }) {
  return (
    <>
      {withType && `${testType}, `}
      <DateOf at={testDate} />
    </>
  )
}
