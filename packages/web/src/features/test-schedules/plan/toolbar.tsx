import { ActionIcon, Button, Checkbox, SegmentedControl, Select } from '@mantine/core'
import { IconBuilding, IconChevronLeft, IconChevronRight } from '../../../icons/index.ts'
import type { GroupRow } from '@caretaker/contract/groups.ts'
import { testTypes } from '@caretaker/rules/lighting/tests.ts'
import { monthAfter, monthName } from '../months.ts'
import { typesIn } from '../plan-place.ts'
import type { PlanView } from './view.ts'
import classes from './plan.module.css'

/** The filter for months, building and test types. */
export function Toolbar({ search, show, month, today, groups }: PlanView & { groups: readonly GroupRow[] }) {
  const hidden = typesIn(search.without ?? '')
  const buildings = new Map(groups.map((group) => [group.building, group.buildingName]))
  const step = search.span === 'year' ? 12 : 1
  return (
    <div className={classes.toolbar}>
      <ActionIcon
        variant="default"
        aria-label="Earlier"
        onClick={() => show({ month: monthAfter(month, -step), night: '' })}
      >
        <IconChevronLeft size={16} aria-hidden />
      </ActionIcon>
      <h2>
        {monthName(month)} {month.slice(0, 4)}
      </h2>
      <ActionIcon
        variant="default"
        aria-label="Later"
        onClick={() => show({ month: monthAfter(month, step), night: '' })}
      >
        <IconChevronRight size={16} aria-hidden />
      </ActionIcon>
      <Button variant="default" onClick={() => show({ month: today.slice(0, 7), night: '' })}>
        Today
      </Button>
      <SegmentedControl
        aria-label="Span"
        size="xs"
        data={[
          { value: 'month', label: 'Month' },
          { value: 'year', label: 'Year' },
        ]}
        value={search.span ?? 'month'}
        onChange={(span) => show({ month, span: (span === 'year' ? 'year' : '') as 'year' })}
      />
      <Select
        aria-label="Building"
        leftSection={<IconBuilding size={16} aria-hidden />}
        placeholder="All buildings"
        clearable
        data={[...buildings].map(([value, label]) => ({ value, label }))}
        value={search.building ?? null}
        onChange={(building) => show({ building: building ?? '' })}
      />
      <span className={classes.types}>
        {testTypes.map((type) => (
          <Checkbox
            key={type}
            label={type}
            checked={!hidden.includes(type)}
            onChange={(event) =>
              show({
                without: (event.currentTarget.checked
                  ? hidden.filter((one) => one !== type)
                  : [...hidden, type]
                ).join(),
              })
            }
          />
        ))}
      </span>
    </div>
  )
}
