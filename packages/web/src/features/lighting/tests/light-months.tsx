import { useCallback, useMemo } from 'react'
import { ActionIcon } from '@mantine/core'
import { IconCalendarMonth, IconChevronLeft, IconChevronRight } from '../../../icons/index.ts'
import type { LightMonths } from '@caretaker/contract/lighting.ts'
import { mostTestsCounted } from '@caretaker/rules/lighting/tests.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { useActor } from '../../../api/actor.ts'
import { DataTable } from '../../../ui/data-table.tsx'
import { genericPageSize } from '../../../ui/generic-table.tsx'
import { AppLink } from '../../../ui/link.tsx'
import { Pager } from '../../../ui/pager.tsx'
import { Empty } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table/props.ts'
import { useZone } from '../../../ui/zone.tsx'
import { resultWord } from '../test-result.tsx'
import type { OpenedTest } from './chart-dialog.tsx'
import { monthsOf } from './month-grid.ts'
import { MonthCell, months } from './month-grid.tsx'
import type { TestsSearch } from './tests-place.ts'
import { useMonths } from './use-tests.ts'
import { useYear } from './use-year.ts'
import classes from './tests.module.css'

interface LightMonthsProps {
  search: TestsSearch
  show: (search: TestsSearch) => void
  onOpen: (test: OpenedTest) => void
}

/** A year of tests: one row per light, one column per month, with the worst result of each. */
export function LightMonthsTable({ search, show, onOpen }: LightMonthsProps) {
  const { tenant } = useActor()
  const zone = useZone()
  const year = useYear(search)
  const { rows, total, status, refetch } = useMonths(tenant, search, year)
  const columns = useMemo(() => columnsFor(tenant, year, zone, onOpen), [tenant, year, zone, onOpen])
  const phoneRow = useCallback((row: LightMonths) => <PhoneRow row={row} tenant={tenant} zone={zone} />, [tenant, zone])
  return (
    <DataTable
      label="Tests by month"
      columns={columns}
      rows={rows}
      rowId={(row) => row.deviceId}
      rowHref={() => undefined}
      status={status}
      onRetry={refetch}
      empty={
        <Empty
          icon={<IconCalendarMonth size={18} aria-hidden />}
          text="No emergency lights"
          hint="No lights match the filter."
        />
      }
      phoneRow={phoneRow}
      rowsOfPage={genericPageSize}
      footer={
        total !== undefined &&
        total > 0 && (
          <Pager
            ends
            page={search.page ?? 1}
            pageSize={genericPageSize}
            total={Math.min(total, mostTestsCounted)}
            onPage={(page) => show({ ...search, page })}
            note={
              total > mostTestsCounted && (
                <span>
                  There are more than {mostTestsCounted.toLocaleString('en-GB')}: narrow the filter to see others.
                </span>
              )
            }
          />
        )
      }
    />
  )
}

/** The shown year with buttons for the adjacent years, up to the current one. */
export function YearStep({ search, show }: Pick<LightMonthsProps, 'search' | 'show'>) {
  const [year, thisYear] = [useYear(search), useYear({})]
  const step = (to: number) => show({ ...search, year: to })
  return (
    <span className={classes.year} role="group" aria-label="Year">
      <ActionIcon
        variant="default"
        size={32}
        aria-label="Year before"
        disabled={year <= 2000}
        onClick={() => step(year - 1)}
      >
        <IconChevronLeft size={16} aria-hidden />
      </ActionIcon>
      <b>{year}</b>
      <ActionIcon
        variant="default"
        size={32}
        aria-label="Year after"
        disabled={year >= thisYear}
        onClick={() => step(year + 1)}
      >
        <IconChevronRight size={16} aria-hidden />
      </ActionIcon>
    </span>
  )
}

function columnsFor(
  tenant: string,
  year: number,
  zone: string,
  onOpen: (test: OpenedTest) => void,
): Column<LightMonths>[] {
  return [
    {
      id: 'deviceName',
      header: 'Light',
      width: 190,
      cell: ({ deviceName, deviceId }) => (
        <AppLink className={classes.link} href={pathTo(tenant, 'EmergencyLights', deviceId, 'testResults')}>
          {deviceName}
        </AppLink>
      ),
    },
    { id: 'buildingName', header: 'Building', width: 150, cell: ({ buildingName }) => buildingName },
    ...months.map((month, at): Column<LightMonths> => ({
      id: month,
      header: month,
      width: 68,
      cell: ({ tests, deviceName }) => {
        const cell = monthsOf(tests, zone)[at]
        if (!cell) return null
        const of = `${cell.tests[0]!.testType} of ${deviceName}, ${cell.day} ${month} ${year}`
        return <MonthCell cell={cell} of={of} onOpen={(test) => onOpen({ ...test, deviceName })} />
      },
    })),
  ]
}

interface PhoneRowProps {
  row: LightMonths
  tenant: string
  zone: string
}

function PhoneRow({ row: { deviceName, deviceId, tests }, tenant, zone }: PhoneRowProps) {
  const monthTexts = monthsOf(tests, zone).flatMap((cell, at) =>
    cell?.result ? [`${months[at]} ${resultWord(cell.result)}`] : [],
  )
  return (
    <span className={classes.phone}>
      <AppLink className={classes.link} href={pathTo(tenant, 'EmergencyLights', deviceId, 'testResults')}>
        {deviceName}
      </AppLink>
      <span>{monthTexts.join(', ') || 'No test in the year'}</span>
    </span>
  )
}
