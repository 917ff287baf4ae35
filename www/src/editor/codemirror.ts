import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, type Completion } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { PostgreSQL, sql } from "@codemirror/lang-sql";
import { HighlightStyle, bracketMatching, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lintKeymap, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { Compartment, EditorState, Prec, type Extension } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

export type { Diagnostic };

/** Colours come from the page's tokens, which cascade into the shadow root. */
const highlight = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--code-keyword)", fontWeight: "600" },
  { tag: [tags.typeName, tags.standard(tags.name)], color: "var(--code-type)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: tags.comment, color: "var(--code-comment)", fontStyle: "italic" },
]);

const theme = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--panel)", fontSize: "13px", height: "100%" },
  // The card around the editor shows the focus: an outline here would be hidden by the gutter.
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5", overflow: "auto" },
  ".cm-content": { padding: "8px 0", caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--muted)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 6px 0 10px", minWidth: "30px" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--accent) 6%, transparent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 26%, transparent)",
  },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "color-mix(in srgb, var(--accent) 22%, transparent)" },
  ".cm-tooltip": { backgroundColor: "var(--panel)", border: "1px solid var(--line-strong)", borderRadius: "6px", color: "var(--ink)" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--accent-ink)" },
  ".cm-diagnostic": { fontFamily: "var(--sans)", padding: "4px 10px" },
  ".cm-diagnostic-error": { borderLeft: "4px solid var(--error)" },
});

/**
 * Typing over a selection, done by CodeMirror instead of the browser: Chromium's own way puts
 * elements with inline styles into the text for a moment, which the page's policy forbids.
 */
const typeOverSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { from, to, empty } = view.state.selection.main;
    if (event.inputType !== "insertText" || !event.data || empty || view.composing) return false;
    const text = event.data;
    const insert = () => view.state.update(view.state.replaceSelection(text), { userEvent: "input.type", scrollIntoView: true });
    event.preventDefault();
    if (!view.state.facet(EditorView.inputHandler).some((handler) => handler(view, from, to, text, insert))) view.dispatch(insert());
    return true;
  },
});

export interface EditorOptions {
  /** A shadow root: there CodeMirror uses adopted style sheets, which a strict policy allows. */
  root: ShadowRoot;
  parent: HTMLElement;
  doc: string;
  label: string;
  changed: (text: string) => void;
  runAll: () => void;
  runPart: (from: number, to: number) => void;
  /** Names to complete beside SQL's keywords. */
  completions: () => Completion[];
}

/** An editor for PostgreSQL's SQL, and what the page does with it. */
export class SqlView {
  private readonly view: EditorView;
  private readonly writable = new Compartment();

  constructor(options: EditorOptions) {
    const { root, parent, doc, label, changed, runAll, runPart, completions } = options;
    const run = keymap.of([
      { key: "Mod-Enter", run: () => (runAll(), true) },
      {
        key: "Shift-Mod-Enter",
        run: (view) => {
          const { from, to } = view.state.selection.main;
          runPart(from, to);
          return true;
        },
      },
    ]);
    const names = PostgreSQL.language.data.of({
      autocomplete: (context: { matchBefore(expression: RegExp): { from: number } | null; explicit: boolean }) => {
        const word = context.matchBefore(/\w+/);
        return word || context.explicit ? { from: word?.from ?? 0, options: completions(), validFor: /^\w*$/ } : null;
      },
    });
    const extensions: Extension[] = [
      lineNumbers(),
      highlightSpecialChars(),
      history(),
      drawSelection(),
      highlightActiveLine(),
      indentOnInput(),
      bracketMatching(),
      closeBrackets(),
      autocompletion({ icons: false }),
      sql({ dialect: PostgreSQL, upperCaseKeywords: true }),
      names,
      syntaxHighlighting(highlight),
      theme,
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) changed(update.state.doc.toString());
      }),
      typeOverSelection,
      Prec.highest(run),
      // Tab is left to the browser, so that the keyboard can leave the editor.
      keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap]),
      this.writable.of([]),
    ];
    this.view = new EditorView({ root, parent, state: EditorState.create({ doc, extensions }) });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  /** The selection, or twice the cursor. */
  get selection(): { from: number; to: number } {
    const { from, to } = this.view.state.selection.main;
    return { from, to };
  }

  replace(text: string): void {
    if (text === this.text) return;
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  diagnose(diagnostics: Diagnostic[]): void {
    const end = this.view.state.doc.length;
    const inside = diagnostics.map((it) => ({ ...it, from: Math.min(it.from, end), to: Math.min(it.to, end) }));
    this.view.dispatch(setDiagnostics(this.view.state, inside));
  }

  focus(): void {
    this.view.focus();
  }

  destroy(): void {
    this.view.destroy();
  }
}
