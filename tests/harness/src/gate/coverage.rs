//! Whether the no-panic image calls every public function of the crate.
//! In: `src/`, `tests/firmware/src/bin/no_panic` and `tests/registry`, as text. Out: the public functions that no
//! function of the image names together with their type. The lint `unreachable_pub` is on in the crate, so `pub` means
//! that a user can call it.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{ImplItem, Item, TraitItem, Type, Visibility};

use crate::cargo::root;

/// The folders of the program that calls the functions, and of the registry, whose learners this program runs.
const IMAGES: [&str; 2] = ["tests/firmware/src/bin/no_panic", "tests/registry/src"];

/// A function that a user can call.
#[derive(Debug, PartialEq, Eq)]
struct Function {
    /// The type that the function belongs to; `None` for a function of a module or of a trait.
    owner: Option<String>,
    name: String,
}

/// Fails with the functions that the image does not call.
pub(super) fn is_complete() -> Result<()> {
    let mut items = Vec::new();
    for file in sources(&root().join("src"))? {
        items.extend(parsed(&file)?.items);
    }
    let functions = public_functions(&items);
    let aliases: Vec<Alias> = items.iter().filter_map(alias).collect();
    let mut image = Vec::new();
    for folder in IMAGES {
        for file in sources(&root().join(folder))? {
            image.extend(parsed(&file)?.items);
        }
    }
    let bodies = bodies(&image, &macros(&image));
    let missing: Vec<String> = functions
        .iter()
        .filter(|function| !is_called(function, &aliases, &bodies))
        .map(|Function { owner, name }| owner.as_ref().map_or(name.clone(), |owner| format!("{owner}::{name}")))
        .collect();
    if functions.is_empty() {
        bail!("src/ has no public function: the check sees nothing")
    }
    if missing.is_empty() {
        Ok(())
    } else {
        bail!("call these in {}:\n{}", IMAGES.join(" or "), missing.join("\n"))
    }
}

/// A function counts as called if one body names both the function and its type, or an alias of the type.
fn is_called(function: &Function, aliases: &[Alias], bodies: &[HashSet<String>]) -> bool {
    let names = |owner: &String, body: &HashSet<String>| {
        let other_name = |alias: &Alias| alias.of == *owner && body.contains(&alias.name);
        body.contains(owner) || aliases.iter().any(other_name)
    };
    bodies
        .iter()
        .any(|body| body.contains(&function.name) && function.owner.as_ref().is_none_or(|owner| names(owner, body)))
}

/// Another name of a type.
#[derive(Debug)]
struct Alias {
    name: String,
    of: String,
}

fn alias(item: &Item) -> Option<Alias> {
    match item {
        Item::Type(definition) => Some(Alias {
            name: definition.ident.to_string(),
            of: type_name(&definition.ty)?,
        }),
        _ => None,
    }
}

fn sources(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).with_context(|| format!("cannot read {}", directory.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(sources(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn parsed(file: &Path) -> Result<syn::File> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    syn::parse_file(&text).with_context(|| format!("{} is no Rust", file.display()))
}

fn public_functions(items: &[Item]) -> Vec<Function> {
    let mut functions = Vec::new();
    // A trait that no `pub use` names is sealed: other crates cannot call its functions.
    let exported = exported_names(items);
    let is_public = |visibility: &Visibility| matches!(visibility, Visibility::Public(_));
    for item in items {
        match item {
            Item::Fn(function) if is_public(&function.vis) => functions.push(Function {
                owner: None,
                name: function.sig.ident.to_string(),
            }),
            Item::Trait(definition) if exported.contains(&definition.ident.to_string()) => {
                functions.extend(definition.items.iter().filter_map(|item| match item {
                    TraitItem::Fn(function) => Some(Function {
                        owner: None,
                        name: function.sig.ident.to_string(),
                    }),
                    _ => None,
                }));
            }
            Item::Impl(block) if block.trait_.is_none() => {
                functions.extend(block.items.iter().filter_map(|item| match item {
                    ImplItem::Fn(function) if is_public(&function.vis) => Some(Function {
                        owner: type_name(&block.self_ty),
                        name: function.sig.ident.to_string(),
                    }),
                    _ => None,
                }));
            }
            _ => {}
        }
    }
    functions
}

/// The words of every `pub use`.
fn exported_names(items: &[Item]) -> HashSet<String> {
    let mut names = HashSet::new();
    for item in items {
        if let Item::Use(export) = item
            && matches!(export.vis, Visibility::Public(_))
        {
            collect(quote(&export.tree), &mut names);
        }
    }
    names
}

fn type_name(of: &Type) -> Option<String> {
    match of {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
        _ => None,
    }
}

/// The words of each macro of the image. An `impl` that calls a macro names these words too.
fn macros(items: &[Item]) -> HashMap<String, HashSet<String>> {
    let defined = items.iter().filter_map(|item| match item {
        Item::Macro(definition) => Some((definition.ident.as_ref()?.to_string(), definition)),
        _ => None,
    });
    defined
        .map(|(name, definition)| {
            let mut words = HashSet::new();
            collect(quote(definition), &mut words);
            (name, words)
        })
        .collect()
}

/// The words of each function of the image, with those of its signature; for a function in an `impl`, also those of its
/// type.
fn bodies(items: &[Item], macros: &HashMap<String, HashSet<String>>) -> Vec<HashSet<String>> {
    let mut bodies = Vec::new();
    for item in items {
        match item {
            Item::Fn(function) => {
                let mut words = HashSet::new();
                collect(quote(function), &mut words);
                bodies.push(words);
            }
            Item::Impl(block) => {
                for function in &block.items {
                    let mut words = HashSet::new();
                    collect(quote(&block.self_ty), &mut words);
                    collect(quote(function), &mut words);
                    if let ImplItem::Macro(call) = function
                        && let Some(name) = call.mac.path.get_ident()
                    {
                        words.extend(macros.get(&name.to_string()).into_iter().flatten().cloned());
                    }
                    bodies.push(words);
                }
            }
            Item::Mod(module) => {
                if let Some((_, items)) = &module.content {
                    bodies.extend(self::bodies(items, macros));
                }
            }
            _ => {}
        }
    }
    bodies
}

fn quote(part: &impl ToTokens) -> TokenStream {
    part.to_token_stream()
}

fn collect(tokens: TokenStream, words: &mut HashSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(word) => {
                words.insert(word.to_string());
            }
            TokenTree::Group(group) => collect(group.stream(), words),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_called_where_it_is_named_with_its_type() -> Result<()> {
        let source =
            "pub fn free() {} fn hidden() {} impl<T> Learner<T> { pub fn learn(&self) {} pub(crate) fn own(&self) {} }
                      pub use kernel::Kernel; pub trait Kernel { fn value(&self); } pub trait Sealed { fn own(); } impl Clone for Learner<f32> { fn clone(&self) {} }";
        let functions = public_functions(&syn::parse_file(source)?.items);
        let names: Vec<&str> = functions.iter().map(|function| function.name.as_str()).collect();
        assert_eq!(names, ["free", "learn", "value"]);

        let image =
            "mod image { fn one() { let x: Learner<f32>; x.learn(); } fn two() { other.value(); black_box(free()); } }";
        let words = bodies(&syn::parse_file(image)?.items, &HashMap::new());
        assert!(functions.iter().all(|function| is_called(function, &[], &words)));
        let elsewhere = Function {
            owner: Some("Other".into()),
            name: "learn".into(),
        };
        assert!(!is_called(&elsewhere, &[], &words));
        let known = syn::parse_file("pub type Learner<T> = Other<T, 1>;")?;
        let aliases: Vec<Alias> = known.items.iter().filter_map(alias).collect();
        assert!(is_called(&elsewhere, &aliases, &words));
        let registry = syn::parse_file("impl Subject for Other<f32> { fn look(&self) { self.learn(); } }")?;
        assert!(is_called(&elsewhere, &[], &bodies(&registry.items, &HashMap::new())));
        Ok(())
    }
}
