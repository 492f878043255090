import { useNavigate } from '@tanstack/react-router'
import { SegmentedControl } from '@mantine/core'
import type { DeviceRange } from '@caretaker/rules/telemetry/ranges.ts'
import { deviceRanges } from '@caretaker/rules/telemetry/ranges.ts'
import { Card } from '../telemetry/card.tsx'
import { isEmpty, usable } from '../telemetry/drawn.ts'
import { HeldInRange } from '../telemetry/held-in-range.tsx'
import { Download } from '../telemetry/toolbar.tsx'
import type { Shade } from '../ui/chart/readings.ts'
import type { Charted } from './use-device-charts.ts'
import { useDeviceAnswers, useDeviceCharts } from './use-device-charts.ts'
import classes from './device.module.css'

const ranges = Object.entries(deviceRanges).map(([value, { label }]) => ({ value, label }))

interface DeviceChartsProps {
  device: Charted
  /** Times shaded in every chart; must be a stable array. */
  shades?: readonly Shade[] | undefined
}

/** The readings of a device: charts stacked with a shared cursor. */
export function DeviceCharts({ device, shades }: DeviceChartsProps) {
  const { view, shown, asked, zone } = useDeviceCharts(device)
  const { answers } = useDeviceAnswers(device)
  const navigate = useNavigate()
  const show = (range: DeviceRange) =>
    void navigate({
      to: '.',
      search: (now) => {
        const { range: _range, ...others } = now as Record<string, unknown>
        return { ...others, ...(range !== 'last7Days' && { range }) } as never
      },
      replace: true,
      resetScroll: false,
    })
  if (!view.cards.length) return undefined
  const hasReadings = answers.some(({ chart }) => usable(chart) && !isEmpty(chart))
  return (
    <div className={classes.chartList}>
      <div className={classes.chartBar}>
        <div className={classes.held}>{hasReadings && <HeldInRange key={shown} syncKey={device.deviceId} />}</div>
        <SegmentedControl
          aria-label="Range"
          transitionDuration={0}
          data={ranges}
          value={shown}
          onChange={(range) => show(range as DeviceRange)}
        />
        <Download asked={asked} view={view} zone={zone} />
      </div>
      {view.cards
        .filter(({ type }) => type === 'lineGraph')
        .map((card) => (
          <Card
            key={card.id}
            asked={{ ...asked, card }}
            isDefault={false}
            look={{ height: 220, wide: false, shades }}
          />
        ))}
    </div>
  )
}
