import { ActionIcon } from '@mantine/core'
import { IconTrash } from '../../icons/index.ts'
import classes from './settings.module.css'

export function DeleteButton({ name, onPress }: { name: string; onPress: () => void }) {
  return (
    <ActionIcon className={classes.delete} size={28} title="Delete" aria-label={`Delete: ${name}`} onClick={onPress}>
      <IconTrash size={18} stroke={1.7} aria-hidden />
    </ActionIcon>
  )
}
