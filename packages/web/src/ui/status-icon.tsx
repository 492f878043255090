import {
  IconAlertTriangleFilled,
  IconCircleCheckFilled,
  IconCircleDashed,
  IconCircleXFilled,
  IconSquareXFilled,
} from '../icons/index.ts'
import type { DisplayGroup } from '@caretaker/rules/devices/status.ts'
import type { StatusTone } from './tokens.ts'

export const toneOfGroup: Record<DisplayGroup, StatusTone> = {
  Passed: 'passed',
  Warning: 'warning',
  Failed: 'failed',
  FailedDevice: 'failed-device',
  NotInstalled: 'not-installed',
}

/** Each is recognisable by outline and mark without colour. */
const icons = {
  passed: IconCircleCheckFilled,
  warning: IconAlertTriangleFilled,
  failed: IconCircleXFilled,
  'failed-device': IconSquareXFilled,
  'not-installed': IconCircleDashed,
} as const

/** The icon of a status in its colour; decorative, always beside a text. */
export function StatusIcon({ tone, size = 16 }: { tone: StatusTone; size?: number }) {
  const Icon = icons[tone]
  const colour = tone === 'not-installed' ? `var(--status-${tone}-text)` : `var(--status-${tone}-solid)`
  return <Icon size={size} aria-hidden style={{ color: colour, flex: 'none' }} />
}
