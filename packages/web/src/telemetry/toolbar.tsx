import { useState } from 'react'
import { ActionIcon, Menu, SegmentedControl, Select } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { IconDownload, IconFileSpreadsheet, IconPhoto } from '../icons/index.ts'
import type { TelemetryView } from '@caretaker/contract/telemetry.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { RangeShortcut } from '@caretaker/rules/telemetry/ranges.ts'
import { lastWinter, rangeShortcutNames, yearBefore } from '@caretaker/rules/telemetry/ranges.ts'
import { DateRange } from '../ui/date-range.tsx'
import { useZone } from '../ui/zone.tsx'
import type { AskedRange } from './place.ts'
import { daysOf } from './place.ts'
import type { CardAsked } from './queries.ts'
import classes from './telemetry.module.css'

interface ToolbarProps {
  views: TelemetryView[]
  view: TelemetryView
  range: AskedRange
  asked: Omit<CardAsked, 'card'>
  /** The zone of the days in the range. */
  zone: string
  onView: (id: TelemetryView['id']) => void
  onRange: (range: { range?: RangeShortcut; from?: Day | undefined; to?: Day | undefined }) => void
}

/** The view and range, and the download of the shown data. */
export function Toolbar({ views, view, range, asked, zone, onView, onRange }: ToolbarProps) {
  const { shortcuts: offered } = asked.source
  const [opened] = useState(() => Date.now())
  // The charts use the time zone of the page, whatever zone the range uses.
  const clocks = useZone()
  const shortcuts = rangeShortcutNames.map((id) => ({ id, label: offered[id].label }))
  const shown = daysOf(range, opened, zone)
  const former = [
    { label: 'Last winter', days: lastWinter(dayAt(opened, zone)) },
    { label: 'Same time last year', days: yearBefore(shown) },
  ]
  return (
    <div className={classes.toolbar}>
      <Select
        className={classes.view}
        aria-label="View"
        data={views.map(({ id, name: label }) => ({ value: id, label }))}
        value={view.id}
        allowDeselect={false}
        onChange={(id) => id && onView(id as TelemetryView['id'])}
      />
      <DateRange
        label="Range"
        zone={zone}
        value={shown}
        presets={[
          ...shortcuts.map(({ id, label }) => ({ label, onPick: () => onRange({ range: id }) })),
          ...former.map(({ label, days }) => ({ label, onPick: () => onRange(days) })),
        ]}
        onChange={({ from, to }) => onRange({ from, to })}
      />
      <SegmentedControl
        className={classes.shortcuts}
        aria-label="Range"
        // Without a transition, which would compete with the charts for CPU time.
        transitionDuration={0}
        data={shortcuts.map(({ id, label }) => ({ value: id, label }))}
        value={range.shortcut ?? ''}
        onChange={(id) => onRange({ range: id as RangeShortcut })}
      />
      <Download asked={asked} view={view} zone={clocks} />
    </div>
  )
}

/** Downloads the shown data as a file. */
export function Download({ asked, view, zone }: Pick<ToolbarProps, 'asked' | 'view' | 'zone'>) {
  const client = useQueryClient()
  const save = async (kind: 'csv' | 'png') => {
    const { saveTelemetry } = await import('./save-telemetry.ts')
    await saveTelemetry(kind, { client, asked, view, zone })
  }
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="default" className={classes.download} aria-label="Download">
          <IconDownload size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconFileSpreadsheet size={16} aria-hidden />} onClick={() => void save('csv')}>
          Readings as CSV
        </Menu.Item>
        <Menu.Item leftSection={<IconPhoto size={16} aria-hidden />} onClick={() => void save('png')}>
          Charts as PNG
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
