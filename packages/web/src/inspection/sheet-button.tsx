import { useState } from 'react'
import { Button } from '@mantine/core'
import { IconFileDescription } from '../icons/index.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../api/actor.ts'
import { lazily } from '../ui/lazily.tsx'
import type { SheetBuilding } from './sheet-dialog.tsx'

const SheetDialog = lazily(async () => (await import('./sheet-dialog.tsx')).SheetDialog)

/** Opens the dialog of an inspector's sheet, for one building or a choice of buildings. */
export function InspectionSheetButton({ building }: { building?: SheetBuilding }) {
  const actor = useActor()
  const [isOpen, setOpen] = useState(false)
  // If no building is given, it is chosen from a list that requires another right.
  if (!can(actor, 'see lighting') || (!building && !can(actor, 'see buildings'))) return undefined
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconFileDescription size={16} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        Inspector’s sheet
      </Button>
      {isOpen && <SheetDialog {...(building && { building })} onClose={() => setOpen(false)} />}
    </>
  )
}
