import { useState } from 'react'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { IconCalendarOff } from '../../../icons/index.ts'
import { dayAt, startOfDay } from '@caretaker/rules/calendar/days.ts'
import { useActor } from '../../../api/actor.ts'
import { Empty, Failed, Loading } from '../../../ui/states.tsx'
import { useZone } from '../../../ui/zone.tsx'
import type { GroupsData } from '../groups-data.tsx'
import { monthAfter } from '../months.ts'
import { OutcomeLegend } from '../outcome.tsx'
import type { PlanSearch } from '../plan-place.ts'
import type { PlanView } from './view.ts'
import { notPlannedYet, typesIn, validPlanSearch } from '../plan-place.ts'
import { scheduleQuery } from '../queries.ts'
import { Lanes } from './lanes.tsx'
import { MonthDays } from './month-days.tsx'
import { Night } from './night.tsx'
import { NextNights } from './next-nights.tsx'
import { Toolbar } from './toolbar.tsx'
import classes from './plan.module.css'

const spanMonths = 12

/**
 * Groups as lanes, days as columns: collisions align vertically, and gaps are visible. On a phone, a month and its
 * days.
 */
export function PlanTab(props: GroupsData) {
  const { tenant } = useActor()
  const zone = useZone()
  const isPhone = useMediaQuery('(width < 48em)', false, { getInitialValueInEffect: false })
  const [now] = useState(() => Date.now())
  const search = validPlanSearch(useSearch({ strict: false }))
  const navigate = useNavigate()
  const show = (change: PlanSearch) =>
    void navigate({ to: '.', search: validPlanSearch({ ...search, ...change }) as never, resetScroll: false })
  const today = dayAt(now, zone)
  const month = search.month ?? search.night?.slice(0, 7) ?? today.slice(0, 7)
  const months = search.span === 'year' && !isPhone ? spanMonths : 1
  const span = {
    from: startOfDay(`${month}-01`, zone),
    to: startOfDay(`${monthAfter(month, months)}-01`, zone),
  }
  const { data, isError, refetch } = useQuery(scheduleQuery(tenant, span))
  if (isError || props.isError) return <Failed onRetry={() => void refetch()} />
  if (!data || !props.data) return <Loading label="Loading the plan" />
  const { groups, collisions } = props.data
  const hidden = typesIn(search.without ?? '')
  const entries = data.filter(
    (entry) =>
      !hidden.includes(entry.testType) &&
      (!search.building || entry.building === search.building) &&
      // A group without lights has no tests.
      (entry.state !== 'planned' || entry.lights > 0),
  )
  const notYet = notPlannedYet(span.to, { now, zone })
  const view: PlanView = { search, show, today, month, entries, collisions, now, notYet }
  const shown = search.building ? groups.filter(({ building }) => building === search.building) : groups
  if (groups.length === 0 && data.length === 0)
    return (
      <Empty
        icon={<IconCalendarOff size={18} aria-hidden />}
        text="No tests scheduled"
        hint="A group schedules the tests of its lights."
      />
    )
  if (isPhone) return <MonthDays {...view} {...props} />
  return (
    <div className={classes.plan}>
      <Toolbar {...view} groups={groups} />
      {entries.length === 0 ? (
        <Empty icon={<IconCalendarOff size={18} aria-hidden />} text="No tests scheduled" hint={notYet} />
      ) : (
        <Lanes {...view} groups={shown} months={months} />
      )}
      <div className={classes.under}>
        <OutcomeLegend more={['collides']} />
        <span>Grey columns are weekends; today is highlighted</span>
        {entries.length > 0 && notYet && <span>{notYet}</span>}
      </div>
      <div className={classes.cards}>
        <Night {...view} {...props} />
        <NextNights {...view} />
      </div>
    </div>
  )
}
