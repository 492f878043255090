import { Button, Menu } from '@mantine/core'
import { IconCheck, IconChevronDown } from '@tabler/icons-react'
import type { BcmFilter, BcmType } from '@caretaker/rules/devices/monitoring.ts'
import { bcmTypeLabels } from '@caretaker/rules/devices/monitoring.ts'
import type { ListingState } from './listing-state.ts'

const types = Object.keys(bcmTypeLabels) as BcmType[]

/** What the Bcms page is narrowed to, as its menu calls it; undefined where it shows every type. */
export function heatingOf(bcm: BcmFilter | undefined): string | undefined {
  return bcm && bcm.type !== 'BCM' ? bcmTypeLabels[bcm.type] : undefined
}

/** Chooses which kind of heating the Bcms page shows; the head of the page says which it is. */
export function HeatingMenu({ state }: { state: ListingState }) {
  const { bcm, setBcm } = state
  if (!bcm) return undefined
  return (
    <Menu position="bottom-start" width={220}>
      <Menu.Target>
        <Button
          variant="default"
          aria-label={`Heating type: ${bcmTypeLabels[bcm.type]}`}
          rightSection={<IconChevronDown size={16} aria-hidden />}
        >
          Heating type
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {types.map((type) => (
          <Menu.Item
            key={type}
            aria-current={type === bcm.type || undefined}
            rightSection={type === bcm.type && <IconCheck size={16} aria-hidden />}
            onClick={() => setBcm({ ...bcm, type })}
          >
            {bcmTypeLabels[type]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
