import { Button } from '@mantine/core'
import type { Filter } from '@caretaker/rules/lists/filters.ts'
import { useActor } from '../../../api/actor.ts'
import { partsAddress } from '../../../api/parts-address.ts'
import { IconPackage } from '../../../icons/index.ts'
import { useGoTo } from '../../../ui/link.tsx'

/** Links from lights to the parts that the failed ones need. */
export function PartsLink({ question }: { question: { filters: readonly Filter[]; search: string } }) {
  const { tenant } = useActor()
  const goTo = useGoTo()
  return (
    <Button
      variant="default"
      leftSection={<IconPackage size={16} aria-hidden />}
      onClick={() => goTo(partsAddress(tenant, question))}
    >
      Parts list
    </Button>
  )
}
