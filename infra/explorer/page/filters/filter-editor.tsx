import { ChoiceEditor } from './choice-editor.tsx'
import { DateEditor } from './date-editor.tsx'
import type { EditorProps } from './editor-props.ts'
import { TextEditor } from './text-editor.tsx'

interface FilterEditorProps extends EditorProps {
  /** The objection of the service to the filter. */
  readonly fault: string | undefined
}

/** Changes a filter: by two days, by choices, or by a text or number. */
export const FilterEditor = ({ fault, ...editor }: FilterEditorProps) => (
  <>
    {fault !== undefined && (
      <p className="fault" role="alert">
        {fault}
      </p>
    )}
    <Editor {...editor} />
  </>
)

const Editor = (props: EditorProps) => {
  const { filter, until } = props.field
  if (until !== undefined) return <DateEditor {...props} until={until} />
  if (filter.props.options !== undefined || filter.type === 'select') return <ChoiceEditor {...props} />
  return <TextEditor {...props} />
}
