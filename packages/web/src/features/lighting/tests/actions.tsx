import { ActionIcon } from '@mantine/core'
import { IconChartLine, IconPencil } from '../../../icons/index.ts'
import type { EmergencyTest } from '@caretaker/contract/lighting.ts'

/** What can be done with a test: look at its chart, and for administrators, correct it. */
export const actionsFor = (
  mayCorrect: boolean,
  show: (what: { test: EmergencyTest; as: 'chart' | 'update' }) => void,
) =>
  function TestActions(test: EmergencyTest) {
    const of = `${test.testType} of ${test.deviceName}`
    return (
      <>
        <ActionIcon
          variant="subtle"
          aria-label={`Chart of ${of}`}
          title="Chart"
          onClick={() => show({ test, as: 'chart' })}
        >
          <IconChartLine size={16} aria-hidden />
        </ActionIcon>
        {mayCorrect && (
          <ActionIcon
            variant="subtle"
            aria-label={`Update ${of}`}
            title="Update test result"
            onClick={() => show({ test, as: 'update' })}
          >
            <IconPencil size={16} aria-hidden />
          </ActionIcon>
        )}
      </>
    )
  }
